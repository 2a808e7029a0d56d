#include <algorithm>
#include <cmath>

#include "ops/table.hpp"

/// Operations of state-space models and others that go through a sequence token by token.
namespace kernelgen::ggml {
namespace {

/// Elements of a state's row, at most.
constexpr std::int64_t most_width = 2048;

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

/// The node's result: y [batch, tokens, heads, rows], then states, the latest first.
struct Results {
  Results(const Call& call, const Shape& of_y, const Shape& of_state)
      : all(call.destination()), y(part(0, of_y)), state(part(y.elements(), of_state)) {}

  /// The state after all tokens but the last `age`.
  Tensor earlier_state(std::int64_t age) const {
    return part(y.elements() + age * state.elements(), state.shape());
  }

  Tensor all, y, state;

 private:
  Tensor part(std::int64_t offset, const Shape& shape) const {
    Layout layout = Layout::contiguous(shape);
    layout.offset = offset;
    return Tensor(all.storage(), all.dtype(), layout);
  }
};

/// A recurrence over all tokens whose node has the states after each of the last `kept` ones: all tokens but those at once,
/// then one at a time. run(first token, tokens, state before them, state after them, out) returns their y.
template <class Run>
void run_keeping_states(const Call& call, const Results& results, std::int64_t kept, const Tensor& before,
                        Run run) {
  const std::int64_t tokens = results.y.shape()[1];
  std::int64_t age = std::max<std::int64_t>(std::min(kept, tokens) - 1, 0);
  if (age == 0) {
    run(0, tokens, before, results.state, &results.y);
    return;
  }
  const auto run_part = [&](std::int64_t first, std::int64_t count, const Tensor& from) {
    copy_into(results.y.narrow(1, first, count), run(first, count, from, results.earlier_state(age), nullptr),
              call.stream());
  };
  run_part(0, tokens - age, before);
  while (age > 0) {
    const Tensor from = results.earlier_state(age);
    --age;
    run_part(tokens - 1 - age, 1, from);
  }
}

bool are_f32(const Node& node, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (!is_f32(node.src[i])) return false;
  return is_f32(&node) && is_contiguous(node);
}

/// `count` operands [width, heads, tokens], then the states [width · width · heads, batch].
template <std::size_t count>
bool is_rwkv(const Node& node) {
  const Node &k = *node.src[0], &state = *node.src[count];
  return are_f32(node, count + 1) && k.ne[3] == 1 && k.ne[0] <= most_width && is_contiguous(state) &&
         state.ne[1] > 0 && k.ne[2] % state.ne[1] == 0;
}

/// The operands of RWKV and gated linear attention, whose states are as wide as they are high.
class Rwkv {
 public:
  Rwkv(const Call& call, std::size_t state) : call_(call), given_(call.source(state)) {
    const Node& first = *call.node().src[0];
    batch_ = call.node().src[state]->ne[1];
    heads_ = first.ne[1];
    width_ = first.ne[0];
    tokens_ = first.ne[2] / batch_;
  }

  Tensor operand(std::size_t i) const {
    return call_.contiguous(call_.source(i)).reshape({batch_, tokens_, heads_, width_});
  }
  Tensor by_head(std::size_t i) const { return call_.contiguous(call_.source(i)).reshape({heads_, width_}); }

  /// Keys are the states' rows in memory if `has_key_rows`, else their columns as in the library.
  void run(const Tensor& q, const Tensor& k, const Tensor& v, RecurrenceOptions options,
           bool has_key_rows) const {
    const Shape shape = {batch_, heads_, width_, width_};
    const Results results(call_, {batch_, tokens_, heads_, width_}, shape);
    const auto states = [&](const Tensor& x) { return has_key_rows ? x.transpose(2, 3) : x; };
    const Tensor before = states(given_.reshape(shape));
    options.stream = call_.stream();
    options.out = &results.y;
    options.before = &before;
    linear_recurrence(q, k, v, states(results.state), options);
  }

 private:
  const Call& call_;
  Tensor given_;
  std::int64_t batch_, tokens_, heads_, width_;
};

void rwkv_wkv6(const Call& call) {
  const Rwkv in(call, 5);
  const Tensor decay = in.operand(4), bonus = in.by_head(3);
  in.run(in.operand(2), in.operand(0), in.operand(1), {.decay = &decay, .bonus = &bonus}, true);
}

void rwkv_wkv7(const Call& call) {
  const Rwkv in(call, 6);
  const Tensor decay = in.operand(1), removal = in.operand(4), insertion = in.operand(5);
  in.run(in.operand(0), in.operand(2), in.operand(3),
         {.decay = &decay, .removal = &removal, .insertion = &insertion}, false);
}

void gated_linear_attn(const Call& call) {
  const Rwkv in(call, 4);
  const Tensor decay = in.operand(3);
  in.run(in.operand(2), in.operand(0), in.operand(1), {.decay = &decay, .scale = real(call.node(), 0)}, true);
}

bool is_gated_delta_net(const Node& node) {
  const Node &q = *node.src[0], &k = *node.src[1], &v = *node.src[2];
  return are_f32(node, 6) && integer(node, 0) >= 1 && k.ne[0] <= most_width && q.ne[0] == v.ne[0] &&
         k.ne[0] == v.ne[0] && v.ne[1] % q.ne[1] == 0 && v.ne[1] % k.ne[1] == 0 && q.ne[3] == v.ne[3] &&
         k.ne[3] == v.ne[3];
}

/// The delta rule with decay: S = S · exp(decay), S = S + β (v - S k) kᵀ.
void gated_delta_net(const Call& call) {
  const Tensor v = call.source(2), decay = call.source(3), beta = call.source(4);
  const std::int64_t heads = v.shape()[2], width = v.shape()[3];
  const Tensor q = call.source(0), k = call.source(1);
  const Tensor ones = call.constant({'o', static_cast<std::int32_t>(heads)}, DType::f32, [&] {
    return std::vector<float>(static_cast<std::size_t>(heads), 1.0f);
  });
  const Tensor rates = ones.reshape({heads, 1});
  const Shape states = {v.shape()[0], heads, width, width};
  const Results results(call, v.shape(), states);
  run_keeping_states(call, results, integer(call.node(), 0), call.contiguous(call.source(5)).reshape(states),
                     [&](std::int64_t first, std::int64_t count, const Tensor& before, const Tensor& after,
                         const Tensor* out) {
                       const auto part = [&](const Tensor& x) { return x.narrow(1, first, count); };
                       const Tensor decays = part(decay), steps = part(beta);
                       return linear_recurrence(part(q), part(k), part(v), after,
                                                {.stream = call.stream(),
                                                 .out = out,
                                                 .decay = &decays,
                                                 .rates = &rates,
                                                 .scale = 1 / std::sqrt(static_cast<double>(width)),
                                                 .delta = &steps,
                                                 .before = &before,
                                                 .tile_heads = true});
                     });
}

bool is_ssm_scan(const Node& node) {
  const Node &s = *node.src[0], &x = *node.src[1], &b = *node.src[4];
  return are_f32(node, 6) && is_type(node.src[6], {Type::i32}) && s.ne[0] <= most_width &&
         x.ne[1] % b.ne[1] == 0;
}

/// Mamba's and Mamba-2's: S = S · exp(Δ · A) + x Δ Bᵀ, y = S C with Δ = softplus(dt).
void ssm_scan(const Call& call) {
  const Tensor x = call.source(1), a = call.source(3).squeeze(0).squeeze(0), k = call.source(4),
               q = call.source(5);
  const Tensor steps = call.source(2).squeeze(0).unsqueeze(3);  // [batch, tokens, heads, 1]
  const Tensor states = call.contiguous(call.source(0));
  const Tensor ids = call.contiguous(call.source(6)).reshape({x.shape()[0]});
  const Results results(call, x.shape(), {x.shape()[0], x.shape()[2], x.shape()[3], states.shape()[3]});
  run_keeping_states(call, results, integer(call.node(), 0), states,
                     [&](std::int64_t first, std::int64_t count, const Tensor& before, const Tensor& after,
                         const Tensor* out) {
                       const auto part = [&](const Tensor& t) { return t.narrow(1, first, count); };
                       const Tensor decays = part(steps);
                       return linear_recurrence(part(q), part(k), part(x), after,
                                                {.stream = call.stream(),
                                                 .out = out,
                                                 .decay = &decays,
                                                 .rates = &a,
                                                 .before = &before,
                                                 .before_ids = first == 0 ? &ids : nullptr,
                                                 .discretize = true});
                     });
}

bool is_solve_tri(const Node& node) { return are_f32(node, 2); }

void solve_tri(const Call& call) {
  call.write_apart([&](const CallOptions& options) {
    return solve_triangular(call.source(0), call.source(1), false, false, options);
  });
}

constexpr Operation operations[] = {
    {"SSM_CONV", is_ssm_conv, ssm_conv},
    {"SSM_SCAN", is_ssm_scan, ssm_scan},
    {"RWKV_WKV6", is_rwkv<5>, rwkv_wkv6},
    {"RWKV_WKV7", is_rwkv<6>, rwkv_wkv7},
    {"GATED_LINEAR_ATTN", is_rwkv<4>, gated_linear_attn},
    {"GATED_DELTA_NET", is_gated_delta_net, gated_delta_net},
    {"SOLVE_TRI", is_solve_tri, solve_tri},
};

}  // namespace

Operations sequence_operations() { return operations; }

}  // namespace kernelgen::ggml
