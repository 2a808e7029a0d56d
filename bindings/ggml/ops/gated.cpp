#include "ops/table.hpp"

/// Gated linear units: a function of one half of the rows, times the other half.
namespace kernelgen::ggml {
namespace {

struct Halves {
  Tensor x, gate;
};

/// Two operands, or the halves of one; the first parameter after the operation's number swaps those.
Halves halves(const Call& call) {
  const Tensor a = call.source(0);
  if (call.has(1)) return {a, call.source(1)};
  const std::int64_t n = a.shape().back() / 2;
  const bool is_swapped = integer(call.node(), 1) != 0;
  return {a.narrow(3, is_swapped ? n : 0, n), a.narrow(3, is_swapped ? 0 : n, n)};
}

bool is_gated(const Node& node) {
  const Node *a = node.src[0], *b = node.src[1];
  if (!is_real(&node) || !is_type(a, {node.type})) return false;
  if (b != nullptr) return is_type(b, {node.type}) && is_same_shape(*a, *b) && is_same_shape(node, *a);
  return a->ne[0] / 2 == node.ne[0] && a->ne[1] == node.ne[1] && a->ne[2] == node.ne[2] &&
         a->ne[3] == node.ne[3];
}

/// A function that the library has fused with the product.
template <Tensor (*function)(const Tensor&, const Tensor&, const CallOptions&)>
void fused(const Call& call) {
  const Halves in = halves(call);
  call.write_apart([&](const CallOptions& options) { return function(in.x, in.gate, options); });
}

/// A function of one operand, computed in f32.
template <Tensor (*function)(const Tensor&, const CallOptions&)>
void gated(const Call& call) {
  const Halves in = halves(call);
  const CallOptions options = call.options();
  call.put(mul(function(call.as(in.x, DType::f32), options), call.as(in.gate, DType::f32), options));
}

Tensor gelu_quick(const Tensor& x, const CallOptions& options) {
  return mul(x, sigmoid(affine(x, 1.702f, 0, options), options), options);
}

struct Clamped {
  Tensor x, gate;
};

/// x up to the limit, and the gate within it on both sides, in f32.
Clamped clamped(const Call& call) {
  const Halves in = halves(call);
  const CallOptions options = call.options();
  const double limit = real(call.node(), 3);
  const Tensor most = call.number(limit, DType::f32), least = call.number(-limit, DType::f32);
  return {minimum(call.as(in.x, DType::f32), most, options),
          maximum(minimum(call.as(in.gate, DType::f32), most, options), least, options)};
}

/// x · sigmoid(alpha · x) · (gate + 1)
void swiglu_oai(const Call& call) {
  const Clamped in = clamped(call);
  const CallOptions options = call.options();
  const Tensor y = mul(in.x, sigmoid(affine(in.x, real(call.node(), 2), 0, options), options), options);
  call.put(mul(y, affine(in.gate, 1, 1, options), options));
}

/// silu(x) · gate
void swiglu_clamp(const Call& call) {
  const Clamped in = clamped(call);
  call.put(silu_mul(in.x, in.gate, call.options()));
}

constexpr Operation operations[] = {
    {"SWIGLU", is_gated, fused<silu_mul>},
    {"GEGLU", is_gated, fused<gelu_mul>},
    {"REGLU", is_gated, gated<relu>},
    {"GEGLU_ERF", is_gated, gated<gelu_erf>},
    {"GEGLU_QUICK", is_gated, gated<gelu_quick>},
    {"SWIGLU_OAI", is_gated, swiglu_oai},
    {"SWIGLU_CLAMP", is_gated, swiglu_clamp},
};

}  // namespace

Operations gated_operations() { return operations; }

}  // namespace kernelgen::ggml
