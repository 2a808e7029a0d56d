#include "ops/table.hpp"

/// Gradients, losses and steps of optimizers. All are f32.
namespace kernelgen::ggml {
namespace {

constexpr std::int64_t last[] = {3}, all[] = {0, 1, 2, 3};

bool are_alike(const Node& node, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i)
    if (!is_f32(node.src[i]) || !is_same_shape(*node.src[begin], *node.src[i])) return false;
  return is_f32(&node);
}

bool is_silu_back(const Node& node) { return are_alike(node, 0, 2) && is_same_shape(node, *node.src[0]); }

/// dy · s · (1 + x · (1 - s)) with s = sigmoid(x)
void silu_back(const Call& call) {
  const CallOptions options = call.options();
  const Tensor dy = call.source(0), x = call.source(1), s = sigmoid(x, options);
  const Tensor slope = affine(mul(x, affine(s, -1, 1, options), options), 1, 1, options);
  call.put(mul(mul(dy, s, options), slope, options));
}

/// (dz - x · Σ x·dz / (Σ x² + n · eps)) / sqrt(mean of x² + eps)
void rms_norm_back(const Call& call) {
  const CallOptions options = call.options();
  const Tensor dz = call.source(0), x = call.source(1);
  const double n = static_cast<double>(x.shape()[3]), eps = real(call.node(), 0);
  const Tensor squares = affine(sum(sqr(x, options), last, true, options), 1, n * eps, options);
  const Tensor share = div(sum(mul(x, dz, options), last, true, options), squares, options);
  const Tensor length = sqrt(affine(squares, 1 / n, 0, options), options);
  call.put(div(sub(dz, mul(x, share, options), options), length, options));
}

bool is_cross_entropy(const Node& node) { return are_alike(node, 0, 2) && elements(node) == 1; }

/// The mean over the rows of -Σ labels · log_softmax(logits).
void cross_entropy_loss(const Call& call) {
  const CallOptions options = call.options();
  const Tensor logits = call.source(0), labels = call.source(1);
  const double rows = static_cast<double>(logits.elements() / logits.shape()[3]);
  const Tensor total = sum(mul(log_softmax(logits, options), labels, options), all, true, options);
  call.put(affine(total, -1 / rows, 0, options));
}

bool is_cross_entropy_back(const Node& node) {
  return are_alike(node, 1, 3) && is_same_shape(node, *node.src[1]) && is_f32(node.src[0]) &&
         elements(*node.src[0]) == 1;
}

/// (softmax(logits) - labels) · gradient / rows
void cross_entropy_back(const Call& call) {
  const CallOptions options = call.options();
  const Tensor logits = call.source(1);
  const double rows = static_cast<double>(logits.elements() / logits.shape()[3]);
  const Tensor difference = sub(softmax(logits, options), call.source(2), options);
  call.put(affine(mul(difference, call.source(0), options), 1 / rows, 0, options));
}

/// One of the numbers that an optimizer reads from memory.
Tensor setting(const Call& call, std::size_t operand, std::int64_t i) {
  return call.source(operand).narrow(3, i, 1);
}

/// weights · (1 - rate · decay)
Tensor decayed(const Call& call, std::size_t settings, std::int64_t decay) {
  const CallOptions options = call.options();
  const Tensor product = mul(setting(call, settings, 0), setting(call, settings, decay), options);
  return mul(call.source(0), affine(product, -1, 1, options), options);
}

bool is_sgd(const Node& node) {
  return are_alike(node, 0, 2) && is_f32(node.src[2]) && elements(*node.src[2]) == 2 &&
         node.src[2]->ne[0] == 2;
}

void sgd(const Call& call) {
  const CallOptions options = call.options();
  const Tensor step = mul(call.source(1), setting(call, 2, 0), options);
  copy_into(call.source(0), sub(decayed(call, 2, 1), step, options), call.stream());
}

bool is_adamw(const Node& node) {
  return are_alike(node, 0, 4) && is_f32(node.src[4]) && elements(*node.src[4]) == 7 &&
         node.src[4]->ne[0] == 7;
}

/// Settings: rate, beta1, beta2, eps, decay, and the corrections of both moments (Loshchilov and Hutter, 2019).
void adamw(const Call& call) {
  const CallOptions options = call.options();
  const Tensor g = call.source(1);
  const auto moment = [&](std::size_t i, const Tensor& sample, std::int64_t beta) {
    const Tensor kept = mul(call.source(i), setting(call, 4, beta), options);
    const Tensor fresh = mul(sample, affine(setting(call, 4, beta), -1, 1, options), options);
    const Tensor result = add(kept, fresh, options);
    copy_into(call.source(i), result, call.stream());
    return result;
  };
  const Tensor m = mul(moment(2, g, 1), setting(call, 4, 5), options);
  const Tensor v = mul(moment(3, sqr(g, options), 2), setting(call, 4, 6), options);
  const Tensor length = add(sqrt(v, options), setting(call, 4, 3), options);
  const Tensor step = mul(div(m, length, options), setting(call, 4, 0), options);
  copy_into(call.source(0), sub(decayed(call, 4, 4), step, options), call.stream());
}

constexpr Operation operations[] = {
    {"SILU_BACK", is_silu_back, silu_back},
    {"RMS_NORM_BACK", is_silu_back, rms_norm_back},
    {"CROSS_ENTROPY_LOSS", is_cross_entropy, cross_entropy_loss},
    {"CROSS_ENTROPY_LOSS_BACK", is_cross_entropy_back, cross_entropy_back},
    {"OPT_STEP_SGD", is_sgd, sgd},
    {"OPT_STEP_ADAMW", is_adamw, adamw},
};

}  // namespace

Operations training_operations() { return operations; }

}  // namespace kernelgen::ggml
