#pragma once
#include <optional>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// The forms that every reduction has: kernels of rows, of columns, and of partial results.
inline const std::vector<std::string> reduction_form_names = {"rows", "columns", "combine"};

/// Reads "reduce", after the operation's operands. Adds faults where it is invalid.
std::optional<Reduction> read_reduction(const Node& node, const StringLines& lines,
                                        const OperationEntry& operation, bool has_own_functions);

/// Names that the expressions of a reduction use or become functions of. Operands that they read must have others.
extern const std::vector<std::string> reduction_words;

/// Adds faults for operands that no reduction can have. `of_one`, if not empty, is what messages call a reduction that takes one
/// input and no scalars, which is checked too.
void check_reduced(const Node& node, const OperationEntry& operation, std::string_view of_one);

/// Reads the expressions of a reduction, a scan or a window: identity, of, combine, finish. Adds faults where they are invalid.
Reduction read_expressions(const Node& node, const StringLines& lines, const OperationEntry& operation,
                           bool has_own_functions);

/// The forms of an operation with a reduction (kernels/reduce/reduce.hpp).
std::vector<Form> reduction_forms(const OperationEntry& operation);

}  // namespace kernelgen::tool
