#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> scan_runnables() {
  return {
      {.name = "cumsum",
       .summary = "the sum of each element and all before it along a dim",
       .inputs = {{"x", "rank 1 or more"}},
       .parameters = {{"dim", ParameterKind::integer, "-1", "the dim"}},
       .outputs = {{"y", "x's shape"}},
       .bind =
           [](const ParameterValues& values) {
             return [dim = values.integer("dim")](const Operands& operands) {
               return std::vector{cumsum(operands.inputs[0], dim, operands.options())};
             };
           }},
  };
}

}  // namespace kernelgen::tool
