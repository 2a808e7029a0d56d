#include "run/families.hpp"

namespace kernelgen::tool {
namespace {

constexpr auto shape = ParameterKind::shape;

using Join = Tensor (*)(std::span<const Tensor>, std::int64_t, const CallOptions&);

Runnable join(const std::string& name, const std::string& summary, const std::string& others, Join function) {
  return {.name = name,
          .summary = summary,
          .inputs = {{"a", "any shape"},
                     {"b", others},
                     {"c", others},
                     {"d", others},
                     {"e", others},
                     {"f", others},
                     {"g", others},
                     {"h", others}},
          .optional_inputs = 7,
          .parameters = {{"dim", ParameterKind::integer, "0", "the dim"}},
          .needs = std::vector<std::string>{"copy"},
          .bind = [=](const ParameterValues& values) {
            return [=, dim = values.integer("dim")](const Operands& operands) {
              return std::vector{function(operands.inputs, dim, operands.options())};
            };
          }};
}

/// `function` gets the tensor, before, after and the options.
template <class Function>
Runnable padding(const std::string& name, const std::string& summary, Function function) {
  return {.name = name,
          .summary = summary,
          .inputs = {{"x", "any shape"}},
          .parameters = {{"before", shape, {}, "elements before each of the last dims"},
                         {"after", shape, {}, "elements after each of the last dims"}},
          .outputs = {{"y", "x's shape, enlarged"}},
          .needs = std::vector<std::string>{"pad"},
          .bind = [=](const ParameterValues& values) {
            return [=, before = values.shape("before"),
                    after = values.shape("after")](const Operands& operands) {
              return std::vector{function(operands.inputs[0], before, after, operands.options())};
            };
          }};
}

Runnable constant_padding() {
  Runnable runnable = padding("pad", "x with elements of one value around it", pad_replicate);
  runnable.parameters.push_back({"value", ParameterKind::number, "0", "the value"});
  runnable.bind = [](const ParameterValues& values) {
    return [before = values.shape("before"), after = values.shape("after"),
            value = values.number("value")](const Operands& operands) {
      return std::vector{pad(operands.inputs[0], before, after, value, operands.options())};
    };
  };
  return runnable;
}

Runnable mask(const std::string& name, const std::string& summary,
              Tensor (*function)(const Tensor&, std::int64_t, const Scalar&, const CallOptions&)) {
  return {.name = name,
          .summary = summary,
          .inputs = {{"x", "[..., rows, columns]"}},
          .parameters = {{"diagonal", ParameterKind::integer, "0", "columns right of the main diagonal"},
                         {"value", ParameterKind::number, "0", "of the other elements"}},
          .outputs = {{"y", "x's shape"}},
          .needs = std::vector<std::string>{"triangle"},
          .bind = [=](const ParameterValues& values) {
            return [=, diagonal = values.integer("diagonal"),
                    value = values.number("value")](const Operands& operands) {
              return std::vector{function(operands.inputs[0], diagonal, value, operands.options())};
            };
          }};
}

}  // namespace

std::vector<Runnable> manipulation_runnables() {
  return {
      join("concat", "tensors one after the other along a dim", "a's shape, except along dim", concat),
      join("stack", "tensors one after the other along a new dim", "a's shape", stack),
      constant_padding(),
      padding("pad_reflect", "x with its mirror image around it", pad_reflect),
      padding("pad_replicate", "x with its nearest elements around it", pad_replicate),
      padding("pad_circular", "x with the elements of its other end around it", pad_circular),
      {.name = "roll",
       .summary = "x with its elements moved along dims, those past an end to the other end",
       .inputs = {{"x", "any shape"}},
       .parameters = {{"shifts", shape, {}, "elements to move by, one number for each dim", "1"},
                      {"dims", shape, {}, "the dims", "0"}},
       .outputs = {{"y", "x's shape"}},
       .needs = std::vector<std::string>{"pad"},
       .bind =
           [](const ParameterValues& values) {
             return [shifts = values.shape("shifts"), dims = values.shape("dims")](const Operands& operands) {
               return std::vector{roll(operands.inputs[0], shifts, dims, operands.options())};
             };
           }},
      mask("tril", "the lower triangle of matrices", tril),
      mask("triu", "the upper triangle of matrices", triu),
      {.name = "diag",
       .summary = "matrices with the rows of x as their diagonals",
       .inputs = {{"x", "[..., n]"}},
       .outputs = {{"y", "[..., n, n]"}},
       .needs = std::vector<std::string>{"copy", "fill"},
       .bind =
           [](const ParameterValues&) {
             return [](const Operands& operands) {
               return std::vector{diag(operands.inputs[0], operands.options())};
             };
           }},
  };
}

}  // namespace kernelgen::tool
