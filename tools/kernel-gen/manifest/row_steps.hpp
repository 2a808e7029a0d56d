#pragma once
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// The form that every operation on rows has.
inline const std::string row_form_name = "rows";

/// Reads the "row" of an operation whose operands were read. Gives nothing, with faults added, where it is none.
std::vector<RowStep> read_row(const Node& node, const StringLines& lines, const OperationEntry& operation,
                              bool has_own_functions);

/// The form of an operation on rows (kernels/row/expression_row.hpp).
Form row_form(const OperationEntry& operation);

}  // namespace kernelgen::tool
