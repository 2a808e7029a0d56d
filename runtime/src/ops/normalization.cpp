#include <array>

#include "common/format.hpp"

#include "kernelgen/ops/elementwise.hpp"
#include "ops/map_rows.hpp"
#include "ops/operand.hpp"
#include "ops/rows.hpp"

namespace kernelgen {
namespace {

/// A norm of rows without a residual. Inputs are x, then the weights, each as long as the last dim.
Tensor normalize(Builtin op, std::string_view name, Inputs inputs, double eps, const CallOptions& options) {
  check_inputs(name, inputs);
  const Tensor& x = *inputs[0];
  row_length(name, "x", x);
  check_weights(name, x, inputs.subspan(1));
  check_eps(name, x, eps);
  const Scalar scalars[] = {eps};
  return map_rows(Operation::builtin(x.device(), op), inputs, scalars, options);
}

/// softmax or log_softmax. `of_one` is the result of a row of one finite element: affine computes such rows, except with a package
/// that has no affine.
Tensor normalize(Builtin op, std::string_view name, const Tensor& x, double of_one,
                 const CallOptions& options) {
  const Tensor* const inputs[] = {&x};
  check_inputs(name, inputs);
  check_float(name, x);
  if (row_length(name, "x", x) > 1 || !Operation::find(x.device(), Builtin::affine))
    return map_rows(Operation::builtin(x.device(), op), inputs, {}, options);
  const Tensor out = output(name, x.device(), x.shape(), x.dtype(), options, inputs, InPlace::allowed);
  // The row's element minus its maximum is 0, or NaN for infinities and NaN; x · 0 is NaN for the same ones.
  return affine(x, 0, of_one, {.stream = options.stream, .out = &out});
}

/// Returns the norm of x + residual, and the sum. Inputs are x, residual, then the weights.
AddedNorm add_and_normalize(Builtin op, std::string_view name, Inputs inputs, double eps,
                            const AddedNormOptions& options) {
  check_inputs(name, inputs);
  const Tensor &x = *inputs[0], &residual = *inputs[1];
  const Inputs weights = inputs.subspan(2);
  const std::int64_t n = row_length(name, "x", x);
  if (residual.dtype() != x.dtype() || !(residual.shape() == x.shape()))
    invalid(formatted("{}: x is {} {}, residual {} {}; they must have one dtype and shape", name,
                      name_of(x.dtype()), x.shape().to_string(), name_of(residual.dtype()),
                      residual.shape().to_string()));
  check_weights(name, x, weights);
  check_eps(name, x, eps);
  const Operation operation = Operation::builtin(x.device(), op);
  const DType type = x.dtype();
  operation.kernel({&type, 1}, operation.form("rows"));  // throws on other dtypes before the output is
                                                         // allocated

  AddedNorm results;
  // Each result may alias x or residual, which are read before any write; it must not alias the weights or
  // the other result.
  const auto result = [&](const Tensor* out, Inputs others) {
    if (out && *out) check_out(name, *out, x.shape(), type, others, InPlace::refused);
    return output(name, x.device(), x.shape(), type, {options.stream, out}, inputs.first(2),
                  InPlace::allowed);
  };
  results.sum = result(options.sum, weights);
  const std::array<const Tensor*, 3> taken{&results.sum, weights.front(), weights.back()};
  results.norm = result(options.norm, taken);
  use_operands(options.stream, weights, {});
  if (results.sum.elements() == 0) return results;

  std::array<Tensor, 4> operands;
  std::array<const void*, 4> pointers;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    operands[k] = make_contiguous(*inputs[k], options.stream);
    pointers[k] = operands[k].data();
  }
  void* const outs[] = {results.sum.data(), results.norm.data()};
  const std::span<const void* const> given(pointers.data(), inputs.size());
  const ScalarElement scalar(eps, DType::f64);
  RowCall{.operation = operation,
          .problem = {results.sum.elements() / n, n, type, RowOperands::sums},
          .sources = given.first(2),
          .operands = given.subspan(2),
          .row_strides = {},
          .results = outs,
          .scalars = {&scalar, 1}}
      .run(x.device(), options.stream);
  return results;
}

}  // namespace

Tensor softmax(const Tensor& x, const CallOptions& options) {
  return normalize(Builtin::softmax, "softmax", x, 1, options);
}

Tensor log_softmax(const Tensor& x, const CallOptions& options) {
  return normalize(Builtin::log_softmax, "log_softmax", x, 0, options);
}

Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps, const CallOptions& options) {
  const Tensor* const inputs[] = {&x, &weight};
  return normalize(Builtin::rms_norm, "rms_norm", inputs, eps, options);
}

Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                  const CallOptions& options) {
  const Tensor* const inputs[] = {&x, &weight, &bias};
  return normalize(Builtin::layer_norm, "layer_norm", inputs, eps, options);
}

Tensor plain_rms_norm(const Tensor& x, double eps, const CallOptions& options) {
  const Tensor* const inputs[] = {&x};
  return normalize(Builtin::plain_rms_norm, "plain_rms_norm", inputs, eps, options);
}

Tensor plain_layer_norm(const Tensor& x, double eps, const CallOptions& options) {
  const Tensor* const inputs[] = {&x};
  return normalize(Builtin::plain_layer_norm, "plain_layer_norm", inputs, eps, options);
}

Tensor l2_norm(const Tensor& x, double eps, const CallOptions& options) {
  const Tensor* const inputs[] = {&x};
  return normalize(Builtin::l2_norm, "l2_norm", inputs, eps, options);
}

Tensor group_norm(const Tensor& x, std::int64_t groups, double eps, const CallOptions& options) {
  const Tensor* const inputs[] = {&x};
  check_inputs("group_norm", inputs);
  const Shape& shape = x.shape();
  if (shape.size() < 2)
    invalid(formatted("group_norm: x is {}; it has to be [batch, channels, ...]", shape.to_string()));
  if (groups < 1 || shape[1] % groups != 0)
    invalid(formatted("group_norm: {} groups of the {} channels of {}; groups have to be equally large",
                      groups, shape[1], shape.to_string()));
  check_float("group_norm", x);
  check_eps("group_norm", x, eps);
  const Tensor out = output("group_norm", x.device(), shape, x.dtype(), options, inputs, InPlace::allowed);
  if (out.elements() == 0) return out;
  const Shape rows{shape[0] * groups, out.elements() / (shape[0] * groups)};
  const Tensor result = out.reshape(rows);
  plain_layer_norm(make_contiguous(x, options.stream).reshape(rows), eps, {options.stream, &result});
  return out;
}

AddedNorm add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, double eps,
                       const AddedNormOptions& options) {
  const Tensor* const inputs[] = {&x, &residual, &weight};
  return add_and_normalize(Builtin::add_rms_norm, "add_rms_norm", inputs, eps, options);
}

AddedNorm add_layer_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                         double eps, const AddedNormOptions& options) {
  const Tensor* const inputs[] = {&x, &residual, &weight, &bias};
  return add_and_normalize(Builtin::add_layer_norm, "add_layer_norm", inputs, eps, options);
}

}  // namespace kernelgen
