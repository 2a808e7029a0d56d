#pragma once
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// The forms of operations on rows; those that can be split have the last two.
inline const std::vector<std::string> row_form_names = {"rows", "partial", "combine"};

/// Reads the "row" of an operation whose operands were read. Gives nothing, with faults added, where it is none.
RowSteps read_row(const Node& node, const StringLines& lines, const OperationEntry& operation,
                  bool has_own_functions);

/// Why the partial results of `owner` cannot be those of `steps`; empty where they can: their long rows begin with the same
/// reduction of the elements.
std::string first_pass_objection(const RowSteps& steps, const RowSteps& owner);

/// Its forms (kernels/row/row.hpp).
std::vector<Form> row_forms(const OperationEntry& operation);

}  // namespace kernelgen::tool
