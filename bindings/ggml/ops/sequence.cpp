#include "ops/table.hpp"

/// Operations of state-space models.
namespace kernelgen::ggml {
namespace {

bool is_ssm_conv(const Node& node) {
  const Node &x = *node.src[0], &weights = *node.src[1];
  return is_f32(&node) && is_f32(&x) && is_f32(&weights) && x.ne[3] == 1 && node.ne[3] == 1 &&
         weights.ne[2] == 1 && weights.ne[3] == 1 && x.ne[1] == node.ne[0] && weights.ne[1] == node.ne[0] &&
         x.ne[0] == weights.ne[0] - 1 + node.ne[1] && x.ne[2] == node.ne[2];
}

/// y[s, t, c] = Σ_i x[s, c, t + i] · weights[c, i]: windows of x are views of it.
void ssm_conv(const Call& call) {
  const Tensor x = call.source(0), weights = call.source(1).squeeze(0).squeeze(0), out = call.destination();
  const Layout& of = x.layout();
  const std::int64_t channels = out.shape()[3], tokens = out.shape()[2], sequences = out.shape()[1];
  const Tensor windows = x.with_layout({{sequences, tokens, channels, weights.shape()[1]},
                                        {of.strides[1], of.strides[3], of.strides[2], of.strides[3]},
                                        of.offset});
  constexpr std::int64_t last[] = {3};
  call.put(sum(mul(windows, weights, call.options()), last, false, call.options()));
}

constexpr Operation operations[] = {{"SSM_CONV", is_ssm_conv, ssm_conv}};

}  // namespace

Operations sequence_operations() { return operations; }

}  // namespace kernelgen::ggml
