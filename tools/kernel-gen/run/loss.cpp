#include "run/families.hpp"

namespace kernelgen::tool {

std::vector<Runnable> loss_runnables() {
  return {{.name = "cross_entropy",
           .summary = "log(sum of exp(logits)) - logits[target], and that logarithm, along the last dim",
           .inputs = {{"logits", "[..., classes]"}, {"targets", "[...]; u8, u32, i16, i32 or i64"}},
           .outputs = {{"loss", "[...]"}, {"log_sum_exp", "[...], f32; f64 for f64 logits"}},
           .bind = [](const ParameterValues&) {
             return [](const Operands& operands) {
               CrossEntropyOptions options{.wants_log_sum_exp = true};
               if (!operands.out.empty()) {
                 options.loss = &operands.out[0];
                 options.log_sum_exp = &operands.out[1];
               }
               const CrossEntropy results = cross_entropy(operands.inputs[0], operands.inputs[1], options);
               return std::vector{results.loss, results.log_sum_exp};
             };
           }}};
}

}  // namespace kernelgen::tool
