#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> matmul_runnables() {
  return {{.name = "matmul",
           .summary = "products of matrices; batch dims are broadcast",
           .inputs = {{"a", "[batch, m, k]"}, {"b", "[batch, k, n]"}},
           .outputs = {{"y", "[batch, m, n]"}},
           .bind = [](const ParameterValues&) {
             return [](const Operands& operands) {
               return std::vector{matmul(operands.inputs[0], operands.inputs[1], operands.options())};
             };
           }}};
}

}  // namespace kernelgen::tool
