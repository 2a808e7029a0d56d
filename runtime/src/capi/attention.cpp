#include "call.hpp"

using kernelgen::AttentionOptions;
using kernelgen::CallOptions;
using kernelgen::Tensor;
using namespace kernelgen::capi;

namespace {

std::optional<std::int64_t> side(std::int64_t keys) {
  return keys == -1 ? std::nullopt : std::optional(keys);
}

AttentionOptions options_of(const kernelgen_attention_options& given) {
  if (given.size != sizeof given)
    fail("options", "has size " + std::to_string(given.size) + ", this library's are of " +
                        std::to_string(sizeof given) +
                        " bytes: begin with kernelgen_attention_options_init()");
  AttentionOptions options;
  if (given.scale != 0) options.scale = given.scale;
  options.soft_cap = given.soft_cap;
  options.causal = given.causal != 0;
  options.window_left = side(given.window_left);
  options.window_right = side(given.window_right);
  options.mask = value_of(OptionalTensor{given.mask});
  options.alibi_slopes = value_of(OptionalTensor{given.alibi_slopes});
  options.sinks = value_of(OptionalTensor{given.sinks});
  options.query_lengths = value_of(OptionalTensor{given.query_lengths});
  options.key_lengths = value_of(OptionalTensor{given.key_lengths});
  options.block_table = value_of(OptionalTensor{given.block_table});
  options.log_sum_exp = value_of(OptionalTensor{given.log_sum_exp});
  return options;
}

}  // namespace

kernelgen_status kernelgen_attention(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                     const kernelgen_tensor* v, const kernelgen_attention_options* options,
                                     const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result) {
  return guarded(__func__, [&] {
    const Tensor& queries = input(q, "q");
    const Tensor& keys = input(k, "k");
    const Tensor& values = input(v, "v");
    AttentionOptions chosen = options == nullptr ? AttentionOptions{} : options_of(*options);
    run(out, stream, result, [&](const CallOptions& call) {
      chosen.stream = call.stream;
      chosen.out = call.out;
      return kernelgen::attention(queries, keys, values, chosen).y;
    });
  });
}
