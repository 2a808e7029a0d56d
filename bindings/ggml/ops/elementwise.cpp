#include "ops/table.hpp"

/// Functions of one operand, and of a number or two.
namespace kernelgen::ggml {
namespace {

bool is_real_map(const Node& node) {
  return is_real(&node) && is_real(node.src[0]) && is_same_shape(node, *node.src[0]);
}

/// A function of x, the operand or what it was converted to, computed in x's dtype.
template <class Function>
void map_of(const Call& call, const Tensor& x, Function function) {
  if (x.dtype() != call.destination().dtype()) return call.put(function(x, call.options()));
  call.write([&](const CallOptions& options) { return function(x, options); });
}

/// A function of one operand, computed in the operand's dtype, or in f32 if the result's is another.
template <class Function>
void map(const Call& call, Function function) {
  const Tensor x = call.source(0);
  map_of(call, x.dtype() == call.destination().dtype() ? x : call.f32(0), function);
}

template <Tensor (*function)(const Tensor&, const CallOptions&)>
void one(const Call& call) {
  map(call, function);
}

void elu_of(const Call& call) {
  map(call, [](const Tensor& x, const CallOptions& options) { return elu(x, 1, options); });
}

void leaky_relu_of(const Call& call) {
  const double slope = real(call.node(), 0);
  map(call, [&](const Tensor& x, const CallOptions& options) { return leaky_relu(x, slope, options); });
}

/// Computed in f32: the parameters are f32 and would be rounded to x's dtype.
void xielu_of(const Call& call) {
  const auto number = [&](std::size_t i) { return Scalar(real(call.node(), i)); };
  map_of(call, call.f32(0), [&](const Tensor& x, const CallOptions& options) {
    return xielu(x, number(1), number(2), number(3), number(4), options);
  });
}

void clamp_of(const Call& call) {
  const double low = real(call.node(), 0), high = real(call.node(), 1);
  map(call, [&](const Tensor& x, const CallOptions& options) { return clamp(x, low, high, options); });
}

/// Computed in f32, for the same reason as xielu.
void scale(const Call& call) {
  const double mul = real(call.node(), 0), add = real(call.node(), 1);
  map_of(call, call.f32(0),
         [&](const Tensor& x, const CallOptions& options) { return affine(x, mul, add, options); });
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
    {"ELU", is_real_map, elu_of},
    {"STEP", is_real_map, one<step>},
    {"GELU_QUICK", is_real_map, one<gelu_quick>},
    {"HARDSIGMOID", is_real_map, one<hardsigmoid>},
    {"HARDSWISH", is_real_map, one<hardswish>},
    {"EXPM1", is_real_map, one<expm1>},
    {"SOFTPLUS", is_real_map, one<softplus>},
    {"TRUNC", is_real_map, one<trunc>},
    {"XIELU", is_real_map, xielu_of},
    {"LEAKY_RELU", is_real_map, leaky_relu_of},
    {"CLAMP", is_real_map, clamp_of},
    {"SCALE", is_real_map, scale},
};

}  // namespace

Operations elementwise_operations() { return operations; }

}  // namespace kernelgen::ggml
