#include "call.hpp"

using kernelgen::CrossEntropy;
using kernelgen::CrossEntropyOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

kernelgen_status kernelgen_cross_entropy(const kernelgen_tensor* logits, const kernelgen_tensor* targets,
                                         const kernelgen_tensor* out_loss,
                                         const kernelgen_tensor* out_log_sum_exp,
                                         const kernelgen_stream* stream, kernelgen_tensor** loss,
                                         kernelgen_tensor** log_sum_exp) {
  return guarded(__func__, [&] {
    const Tensor &values = input(logits, "logits"), &ids = input(targets, "targets");
    const OneOfResults first{out_loss, loss, "loss"}, second{out_log_sum_exp, log_sum_exp, "log_sum_exp"};
    CrossEntropyOptions options{.stream = stream_of(stream), .loss = first.given()};
    if (out_log_sum_exp != nullptr) options.log_sum_exp = &out_log_sum_exp->tensor;
    options.wants_log_sum_exp = log_sum_exp != nullptr;
    CrossEntropy results = kernelgen::cross_entropy(values, ids, options);
    give_both(first, std::move(results.loss), second, std::move(results.log_sum_exp));
  });
}
