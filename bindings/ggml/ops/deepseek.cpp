#include <algorithm>

#include "ops/softmax.hpp"
#include "ops/table.hpp"

/// DeepSeek's hyper-connections, which carry several residual streams through a model (https://arxiv.org/pdf/2512.24880), and
/// its lightning indexer, which scores keys before a sparse attention.
namespace kernelgen::ggml {
namespace {

bool has_f32_sources(const Node& node, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!is_f32(node.src[i])) return false;
  return is_f32(&node);
}

bool is_hc_comb(const Node& node) {
  return has_f32_sources(node, 3) && node.ne[3] == 1 && integer(node, 1) > 0 &&
         node.src[0]->ne[0] == (2 + node.ne[0]) * node.ne[0];
}

/// Matrices [tokens, from, to] of logits, normalized along both dims in turn (Sinkhorn and Knopp, 1967).
void hc_comb(const Call& call) {
  const CallOptions options = call.options();
  const Tensor out = call.destination().squeeze(0);
  const std::int64_t streams = out.shape()[2], skipped = 2 * streams, count = streams * streams;
  const double eps = real(call.node(), 0);
  const Tensor logits =
      add(mul(call.source(0).narrow(3, skipped, count), call.source(1).narrow(3, 2, 1), options),
          call.source(2).narrow(3, skipped, count), options);
  const Tensor comb = affine(softmax(logits.reshape(out.shape()), options), 1.0, eps, options);
  const auto normalize = [&](std::int64_t dim) {
    const std::int64_t dims[] = {dim};
    div(comb, affine(sum(comb, dims, true, options), 1.0, eps, options),
        {.stream = call.stream(), .out = &comb});
  };
  normalize(1);
  for (std::int32_t i = 1; i < integer(call.node(), 1); ++i) {
    normalize(2);
    normalize(1);
  }
  call.put(comb);
}

/// Whether the streams' weights are sigmoids of a gate for each element.
bool is_gated(const Node& node) { return integer(node, 1) != 0; }

bool is_hc_pre(const Node& node) {
  return has_f32_sources(node, 2) && (!is_gated(node) || is_same_shape(*node.src[0], *node.src[1]));
}

/// The streams' weighted sum.
void hc_pre(const Call& call) {
  const Tensor x = call.source(0).squeeze(0);
  if (is_gated(call.node())) {
    const Tensor gated = mul(x, sigmoid(call.source(1).squeeze(0), call.options()), call.options());
    constexpr std::int64_t streams[] = {1};
    return call.put(
        affine(sum(gated, streams, false, call.options()), real(call.node(), 0), 0.0, call.options()));
  }
  const Tensor weights = call.source(1).squeeze(0).squeeze(0).unsqueeze(1);
  call.write_as({x.shape()[0], 1, x.shape()[2]},
                [&](const CallOptions& options) { return matmul(weights, x, options); });
}

bool is_hc_post(const Node& node) { return has_f32_sources(node, node.src[3] == nullptr ? 3 : 4); }

/// The weighted result of a block, added to the streams, which are mixed by matrices [tokens, from, to] before.
void hc_post(const Call& call) {
  const Tensor x = call.source(0).squeeze(0).squeeze(0).unsqueeze(1),
               weights = call.source(2).squeeze(0).squeeze(0).unsqueeze(2);
  const Tensor update = mul(x, weights, call.options()).unsqueeze(0);
  Tensor streams = call.source(1);
  if (call.has(3)) streams = matmul(call.source(3).transpose(2, 3), streams, call.options());
  call.write([&](const CallOptions& options) { return add(streams, update, options); });
}

bool is_lightning_indexer(const Node& node) {
  const Node &q = *node.src[0], &weights = *node.src[2], &mask = *node.src[3];
  return is_f32(&node) && is_f32(&q) && (is_plain(node.src[1]) || is_block_type(node.src[1])) &&
         is_f32(&weights) && is_real(&mask) && q.ne[3] % mask.ne[3] == 0;
}

/// y[s, t, j] = Σ_h weights[s, t, h] · relu(q[s, t, h] · k[s, j]) + mask[s, t, j].
void lightning_indexer(const Call& call) {
  const Tensor q = call.source(0), keys = call.f32(1).squeeze(2).transpose(1, 2),
               weights = call.source(2).squeeze(1), out = call.destination();
  const Tensor mask = repeated_mask(call, call.as(call.source(3), DType::f32), out.shape());
  const std::int64_t batch = q.shape()[0], tokens = q.shape()[1], heads = q.shape()[2], width = q.shape()[3],
                     key_count = out.shape()[3];
  // The products of all heads are in memory for some tokens at a time only.
  constexpr std::int64_t most_products = std::int64_t{1} << 24;
  const std::int64_t step =
      std::clamp<std::int64_t>(most_products / std::max<std::int64_t>(batch * heads * key_count, 1), 1,
                               std::max<std::int64_t>(tokens, 1));
  for (std::int64_t first = 0; first < tokens; first += step) {
    const std::int64_t count = std::min(step, tokens - first);
    const Tensor rows = call.contiguous(q.narrow(1, first, count)).reshape({batch, count * heads, width});
    const Tensor products =
        relu(matmul(rows, keys, call.options()), call.options()).reshape({batch, count, heads, key_count});
    const Tensor scores = matmul(weights.narrow(1, first, count).unsqueeze(2), products, call.options());
    copy_into(out.narrow(2, first, count),
              add(scores.transpose(1, 2), mask.narrow(2, first, count), call.options()), call.stream());
  }
}

constexpr Operation operations[] = {
    {"DSV4_HC_COMB", is_hc_comb, hc_comb},
    {"DSV4_HC_PRE", is_hc_pre, hc_pre},
    {"DSV4_HC_POST", is_hc_post, hc_post},
    {"LIGHTNING_INDEXER", is_lightning_indexer, lightning_indexer},
};

}  // namespace

Operations deepseek_operations() { return operations; }

}  // namespace kernelgen::ggml
