#include "ops/softmax.hpp"

#include <cmath>

#include "ops/table.hpp"

namespace kernelgen::ggml {

Tensor alibi_slopes(const Call& call, std::int64_t heads, double max_bias) {
  // 2^(-bias · (h + 1) / n) of the first n heads, a power of two; then the odd powers of the next finer series.
  const auto n = static_cast<std::int64_t>(std::exp2(std::floor(std::log2(static_cast<double>(heads)))));
  const double rate = -max_bias / static_cast<double>(n) * std::log(2.0);
  const Tensor logs = call.empty({heads}, DType::f32);
  copy_into(logs.narrow(0, 0, n), call.range(n, rate, rate), call.stream());
  if (heads > n)
    copy_into(logs.narrow(0, n, heads - n), call.range(heads - n, rate / 2, rate), call.stream());
  return exp(logs, call.options());
}

Tensor spread_mask(const Call& call, const Tensor& mask, const Tiling& tiling, std::int64_t heads,
                   double max_bias) {
  const Tensor spread = tiling.repeat(mask);
  if (max_bias == 0) return spread;
  const Tensor slopes = alibi_slopes(call, heads, max_bias).reshape({1, heads, 1, 1});
  const Tensor by_head = tiling.split(slopes.broadcast_to(tiling.whole()));
  return mul(call.as(spread, DType::f32), by_head, call.options());
}

Tensor softmax_with_sinks(const Call& call, const Tensor& logits, const Tensor& sinks) {
  Shape wider = logits.shape();
  const std::int64_t n = wider[3];
  wider[3] = n + 1;
  const Tensor all = call.empty(wider, DType::f32);
  copy_into(all.narrow(3, 0, n), logits, call.stream());
  Shape column = wider;
  column[3] = 1;
  copy_into(all.narrow(3, n, 1), sinks.reshape({1, wider[1], 1, 1}).broadcast_to(column), call.stream());
  return softmax(all, {.stream = call.stream(), .out = &all}).narrow(3, 0, n);
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
  const CallOptions options = call.options();
  const double scale = real(call.node(), 0), max_bias = real(call.node(), 1);
  Tensor x = call.source(0);
  const Shape shape = x.shape();
  if (scale != 1) x = affine(x, scale, 0, options);
  if (call.has(1)) {
    const Tensor mask = call.f32(1).narrow(2, 0, shape[2]);
    const Tiling tiling(shape, mask.shape());
    x = add(tiling.split(x), spread_mask(call, mask, tiling, shape[1], max_bias), options).reshape(shape);
  }
  if (call.has(2)) return call.put(softmax_with_sinks(call, x, call.source(2).reshape({shape[1]})));
  call.write([&](const CallOptions& o) { return softmax(x, o); });
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
