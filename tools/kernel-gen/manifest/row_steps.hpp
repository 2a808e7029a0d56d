#pragma once
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// The forms of operations on rows (kernels/row/row.hpp). Operations whose rows cannot be split have the first one only.
inline const std::vector<std::string> row_form_names = {"rows", "partial", "combine"};

/// Reads "row", after the operation's operands. Adds faults, and returns no steps, where it is invalid.
RowSteps read_row(const Node& node, const StringLines& lines, const OperationEntry& operation,
                  bool has_own_functions);

/// Why an operation of `steps` cannot launch `owner`'s kernels of form `partial`; empty if it can: if the long rows of both begin
/// with the same reduction of the elements.
std::string first_pass_objection(const RowSteps& steps, const RowSteps& owner);

/// The forms of an operation whose "row" was read.
std::vector<Form> row_forms(const OperationEntry& operation);

}  // namespace kernelgen::tool
