#include "ops/table.hpp"

/// Functions of one operand, and of a number or two.
namespace kernelgen::ggml {
namespace {

bool is_real_map(const Node& node) {
  return is_real(&node) && is_real(node.src[0]) && is_same_shape(node, *node.src[0]);
}

/// A function that the library has: computed in the operand's dtype.
template <Tensor (*function)(const Tensor&, const CallOptions&)>
void one(const Call& call) {
  const Tensor x = call.source(0);
  if (x.dtype() != call.destination().dtype()) return call.put(function(call.f32(0), call.options()));
  call.write([&](const CallOptions& options) { return function(x, options); });
}

/// A function composed of several: computed in f32 and rounded once.
template <Tensor (*function)(const Call&, const Tensor&)>
void composed(const Call& call) {
  call.put(function(call, call.f32(0)));
}

Tensor add_number(const Call& call, const Tensor& x, double mul, double add) {
  return affine(x, mul, add, call.options());
}

Tensor clamped(const Call& call, const Tensor& x, double least, double most) {
  const CallOptions options = call.options();
  return minimum(maximum(x, call.number(least, DType::f32), options), call.number(most, DType::f32), options);
}

Tensor elu_of(const Tensor& x, const CallOptions& options) { return elu(x, 1, options); }

Tensor step(const Call& call, const Tensor& x) {
  return to_dtype(gt(x, call.number(0, DType::f32), call.options()), DType::f32, call.options());
}

Tensor gelu_quick(const Call& call, const Tensor& x) {
  return mul(x, sigmoid(add_number(call, x, 1.702f, 0), call.options()), call.options());
}

Tensor hardsigmoid(const Call& call, const Tensor& x) {
  return clamped(call, add_number(call, x, 1.0 / 6, 0.5), 0, 1);
}

Tensor hardswish(const Call& call, const Tensor& x) { return mul(x, hardsigmoid(call, x), call.options()); }

/// exp(x) - 1 = tanh(x / 2) · (exp(x) + 1), which does not cancel.
Tensor expm1(const Call& call, const Tensor& x) {
  const Tensor half = tanh(add_number(call, x, 0.5, 0), call.options());
  return mul(half, add_number(call, exp(x, call.options()), 1, 1), call.options());
}

/// log(1 + exp(x)) = max(x, 0) - log(sigmoid(|x|)), which neither overflows nor cancels.
Tensor softplus(const Call& call, const Tensor& x) {
  const CallOptions options = call.options();
  return sub(relu(x, options), log(sigmoid(abs(x, options), options), options), options);
}

Tensor trunc(const Call& call, const Tensor& x) {
  const CallOptions options = call.options();
  return mul(sign(x, options), floor(abs(x, options), options), options);
}

Tensor leaky_relu(const Call& call, const Tensor& x) {
  const CallOptions options = call.options();
  const double slope = real(call.node(), 0);
  const Tensor negative = sub(x, relu(x, options), options);
  return add(relu(x, options), affine(negative, slope, 0, options), options);
}

/// a · (expm1(min(x, eps)) - x) + b · x for x ≤ 0, else p · x² + b · x.
Tensor xielu(const Call& call, const Tensor& x) {
  const CallOptions options = call.options();
  const double a = real(call.node(), 1), p = real(call.node(), 2), b = real(call.node(), 3);
  const Tensor least = minimum(x, call.number(real(call.node(), 4), DType::f32), options);
  const Tensor below = affine(sub(expm1(call, least), x, options), a, 0, options);
  const Tensor above = affine(sqr(x, options), p, 0, options);
  const Tensor is_above = gt(x, call.number(0, DType::f32), options);
  return add(where_cond(is_above, above, below, options), affine(x, b, 0, options), options);
}

Tensor clamp(const Call& call, const Tensor& x) {
  return clamped(call, x, real(call.node(), 0), real(call.node(), 1));
}

/// The numbers are f32 for every dtype.
void scale(const Call& call) {
  const double mul = real(call.node(), 0), add = real(call.node(), 1);
  const Tensor x = call.f32(0);
  if (call.node().type != Type::f32) return call.put(affine(x, mul, add, call.options()));
  call.write([&](const CallOptions& options) { return affine(x, mul, add, options); });
}

constexpr Operation operations[] = {
    {"ABS", is_real_map, one<abs>},
    {"SGN", is_real_map, one<sign>},
    {"NEG", is_real_map, one<neg>},
    {"TANH", is_real_map, one<tanh>},
    {"RELU", is_real_map, one<relu>},
    {"SIGMOID", is_real_map, one<sigmoid>},
    {"GELU", is_real_map, one<gelu>},
    {"GELU_ERF", is_real_map, one<gelu_erf>},
    {"SILU", is_real_map, one<silu>},
    {"EXP", is_real_map, one<exp>},
    {"FLOOR", is_real_map, one<floor>},
    {"CEIL", is_real_map, one<ceil>},
    {"ROUND", is_real_map, one<round>},
    {"SQR", is_real_map, one<sqr>},
    {"SQRT", is_real_map, one<sqrt>},
    {"LOG", is_real_map, one<log>},
    {"SIN", is_real_map, one<sin>},
    {"COS", is_real_map, one<cos>},
    {"ELU", is_real_map, one<elu_of>},
    {"STEP", is_real_map, composed<step>},
    {"GELU_QUICK", is_real_map, composed<gelu_quick>},
    {"HARDSIGMOID", is_real_map, composed<hardsigmoid>},
    {"HARDSWISH", is_real_map, composed<hardswish>},
    {"EXPM1", is_real_map, composed<expm1>},
    {"SOFTPLUS", is_real_map, composed<softplus>},
    {"TRUNC", is_real_map, composed<trunc>},
    {"XIELU", is_real_map, composed<xielu>},
    {"LEAKY_RELU", is_real_map, composed<leaky_relu>},
    {"CLAMP", is_real_map, composed<clamp>},
    {"SCALE", is_real_map, scale},
};

}  // namespace

Operations elementwise_operations() { return operations; }

}  // namespace kernelgen::ggml
