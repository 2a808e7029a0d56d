#include <string_view>

#include "run/library.hpp"

namespace kernelgen::tool {

Runnable expression_runnable() {
  using enum ParameterKind;
  return {.name = "expression",
          .doc =
              "Evaluates `text` for each element. It is written as an \"expr\" in a manifest, of the inputs "
              "a to f,\n"
              "which are broadcast to a common shape, and is compiled when it is called. `dtype` is the "
              "result's;\n"
              "none: that of the inputs.",
          .inputs = {"a", "b", "c", "d", "e", "f"},
          .optional_inputs = 5,
          .parameters = {{"text", text, {}}, {"dtype", dtype_or_none, "none"}},
          .needs = std::vector<std::string>{},
          .bind = [](const ParameterValues& values) {
            return [text = values.text("text"),
                    dtype = values.dtype_or_none("dtype")](const Operands& operands) {
              constexpr std::string_view names = "abcdef";
              std::vector<ExpressionOperand> named;
              for (std::size_t i = 0; i < operands.inputs.size(); ++i)
                if (operands.optional(i)) named.emplace_back(names.substr(i, 1), operands.inputs[i]);
              return std::vector{expression(text, named, {.out = operands.options().out, .dtype = dtype})};
            };
          }};
}

}  // namespace kernelgen::tool
