#pragma once
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// The forms that every matmul has: a kernel of tiles, one of products with a vector, and the epilogue of a product in memory.
inline const std::vector<std::string> matmul_form_names = {"tiled", "vector", "mapped"};

/// Reads "matmul", after the operation's operands, into its epilogue. Adds faults where it is invalid.
void read_matmul(const Node& node, const StringLines& lines, OperationEntry& operation,
                 bool has_own_functions);

/// The forms of an operation with a matmul (kernels/matmul/matmul.hpp).
std::vector<Form> matmul_forms(const OperationEntry& operation);

}  // namespace kernelgen::tool
