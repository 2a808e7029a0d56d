#include <string_view>

#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> expression_runnables() {
  using enum ParameterKind;
  return {
      {.name = "expression",
       .summary = "an expression of each element, compiled when it is called",
       .inputs = {{"a", "the operand a of the expression; any shape, all are broadcast to a common one"},
                  {"b", "the operand b of the expression"},
                  {"c", ""},
                  {"d", ""},
                  {"e", ""},
                  {"f", ""}},
       .optional_inputs = 5,
       .parameters = {{"text", text, {}, "as an \"expr\" in a manifest, of a to f", "silu(a) + 1"},
                      {"dtype", dtype_or_none, "none", "the dtype of the result; none: that of the inputs"}},
       .needs = std::vector<std::string>{},
       .bind = [](const ParameterValues& values) {
         return
             [text = values.text("text"), dtype = values.dtype_or_none("dtype")](const Operands& operands) {
               constexpr std::string_view names = "abcdef";
               std::vector<ExpressionOperand> named;
               for (std::size_t i = 0; i < operands.inputs.size(); ++i)
                 if (operands.optional(i)) named.emplace_back(names.substr(i, 1), operands.inputs[i]);
               return std::vector{expression(text, named, {.out = operands.options().out, .dtype = dtype})};
             };
       }}};
}

}  // namespace kernelgen::tool
