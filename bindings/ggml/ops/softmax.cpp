#include "ops/softmax.hpp"

#include <bit>
#include <cmath>

#include "ops/table.hpp"

namespace kernelgen::ggml {

Tensor alibi_slopes(const Call& call, std::int64_t heads, double max_bias) {
  const auto key = {std::int32_t{'s'}, static_cast<std::int32_t>(heads),
                    std::bit_cast<std::int32_t>(static_cast<float>(max_bias))};
  return call.constant(key, DType::f32, [&] {
    // 2^(-bias · (h + 1) / n) of the first n heads, a power of two; then the odd powers of the next finer series.
    const auto n = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    const double rate = -max_bias / static_cast<double>(n);
    std::vector<float> slopes;
    for (std::int64_t h = 0; h < heads; ++h)
      slopes.push_back(static_cast<float>(
          std::exp2(rate * (h < n ? static_cast<double>(h + 1) : static_cast<double>(h - n) + 0.5))));
    return slopes;
  });
}

Tensor repeated_mask(const Call& call, const Tensor& mask, const Shape& logits) {
  const auto is_broadcast = [&](std::size_t d) {
    return mask.shape()[d] == 1 || mask.shape()[d] == logits[d];
  };
  if (is_broadcast(0) && is_broadcast(1)) return mask;
  const Shape whole = {logits[0], logits[1], mask.shape()[2], mask.shape()[3]};
  return call.contiguous(Tiling(whole, mask.shape()).repeat(mask)).reshape(whole);
}

Tensor masked_softmax(const Call& call, const Tensor& logits, std::size_t mask, double scale, double max_bias,
                      const CallOptions& options) {
  const Shape& shape = logits.shape();
  ScaledSoftmaxOptions all{.stream = options.stream, .out = options.out, .scale = scale};
  Tensor added, slopes, sinks;
  if (call.has(mask)) {
    const Tensor given = call.source(mask).narrow(2, 0, shape[2]);
    added = repeated_mask(call, given.dtype() == DType::bf16 ? call.as(given, DType::f32) : given, shape);
    all.mask = &added;
    if (max_bias != 0) slopes = alibi_slopes(call, shape[1], max_bias);
    if (slopes) all.slopes = &slopes;
  }
  if (call.has(mask + 1)) {
    sinks = call.contiguous(call.source(mask + 1)).reshape({shape[1]});
    all.sinks = &sinks;
  }
  return scaled_softmax(logits, all);
}

namespace {

bool is_soft_max(const Node& node) {
  const Node *x = node.src[0], *mask = node.src[1], *sinks = node.src[2];
  if (!is_f32(&node) || !is_f32(x) || !is_same_shape(node, *x)) return false;
  if (mask != nullptr) {
    const bool has_rows = mask->ne[0] == x->ne[0] && mask->ne[1] >= x->ne[1];
    if (!is_real(mask) || !has_rows || x->ne[2] % mask->ne[2] != 0 || x->ne[3] % mask->ne[3] != 0)
      return false;
  }
  return sinks == nullptr || (is_f32(sinks) && elements(*sinks) == x->ne[2]);
}

void soft_max(const Call& call) {
  call.write([&](const CallOptions& options) {
    return masked_softmax(call, call.source(0), 1, real(call.node(), 0), real(call.node(), 1), options);
  });
}

bool is_soft_max_back(const Node& node) {
  return is_f32(&node) && is_f32(node.src[0]) && is_f32(node.src[1]) && is_same_shape(node, *node.src[0]) &&
         is_same_shape(node, *node.src[1]) && real(node, 1) == 0;
}

/// scale · y · (dy - Σ y · dy)
void soft_max_back(const Call& call) {
  const CallOptions options = call.options();
  const Tensor dy = call.source(0), y = call.source(1);
  constexpr std::int64_t last[] = {3};
  const Tensor dot = sum(mul(y, dy, options), last, true, options);
  call.put(affine(mul(y, sub(dy, dot, options), options), real(call.node(), 0), 0, options));
}

constexpr Operation operations[] = {
    {"SOFT_MAX", is_soft_max, soft_max},
    {"SOFT_MAX_BACK", is_soft_max_back, soft_max_back},
};

}  // namespace

Operations softmax_operations() { return operations; }

}  // namespace kernelgen::ggml
