#pragma once
#include <optional>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// The forms that every reduction has: kernels of rows, of columns, and of partial results.
inline const std::vector<std::string> reduction_form_names = {"rows", "columns", "combine"};

/// Reads the "reduce" of an operation whose operands were read. Gives nothing, with faults added, where it is none.
std::optional<Reduction> read_reduction(const Node& node, const StringLines& lines,
                                        const OperationEntry& operation, bool has_own_functions);

/// Names that the expressions of a reduction have in the generated source, so that no operand beside them can have them.
extern const std::vector<std::string> reduction_words;

/// Adds faults for operands that no reduction has, and where `of_one`, what takes one input and no scalars, has others.
void check_reduced(const Node& node, const OperationEntry& operation, std::string_view of_one);

/// Reads the expressions of a reduction, a scan or a window. Adds faults where they are none.
Reduction read_parts(const Node& node, const StringLines& lines, const OperationEntry& operation,
                     bool has_own_functions);

/// The forms of an operation with a reduction (kernels/reduce/reduce.hpp).
std::vector<Form> reduction_forms(const OperationEntry& operation);

}  // namespace kernelgen::tool
