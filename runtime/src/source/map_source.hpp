#pragma once
#include <span>
#include <string>
#include <string_view>

#include "source/expression.hpp"

namespace kernelgen {

/// An expression over the elements of some operands, and what it calls them. Its function object is NAME_op.
struct MapExpression {
  std::string_view name;
  const ExpressionCode& code;
  std::span<const std::string> inputs;
  std::span<const std::string> scalars;
};

/// The function object that computes it from widened elements, with the scalars as its members: all lines but the last,
/// "};". `directive` is a whole line that says where the expression stands. The line of the expression is
/// broken where it would be longer than `columns`.
std::string map_object(const MapExpression& expression, std::string_view directive, std::size_t columns);

/// The body of a kernel that computes it (kernels/elementwise/map.hpp). Operands are called as the kernel calls them;
/// `scalar_types` are their element types.
std::string map_body(std::string_view name, std::span<const std::string> inputs,
                     std::span<const std::string> scalars, std::span<const std::string> scalar_types,
                     bool is_strided);

/// The type of a strided map's argument `layout`.
std::string map_layout_type(std::size_t inputs);

/// The definition of a kernel on one line, for blocks of that many threads. `parameters` are "TYPE NAME".
std::string kernel_definition(unsigned block, std::string_view name, std::span<const std::string> parameters,
                              std::string_view body);

}  // namespace kernelgen
