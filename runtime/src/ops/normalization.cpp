#include <array>

#include "common/format.hpp"

#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/rows.hpp"

namespace kernelgen {
namespace {

/// Inputs are x, then the weights, each of the last dim's length.
Tensor normalize(Builtin op, std::string_view name, Inputs inputs, std::optional<double> eps,
                 const CallOptions& options) {
  check_inputs(name, inputs);
  const Tensor& x = *inputs[0];
  const std::int64_t n = row_length(name, "x", x);
  check_weights(name, x, inputs.subspan(1));
  if (eps) check_eps(name, x, *eps);
  const Operation operation = Operation::builtin(x.device(), op);
  const DType type = x.dtype();
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("rows"));
  const Tensor out = output(name, x.device(), x.shape(), type, options, inputs, InPlace::allowed);
  if (out.elements() == 0) return out;

  const std::uint32_t group = row_group(n, type);
  const std::int64_t rows = out.elements() / n;
  Arguments arguments;
  std::array<Tensor, 3> operands;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    operands[k] = make_contiguous(*inputs[k], options.stream);
    arguments.add(operands[k].data());
  }
  arguments.add(out.data()).add(rows).add(n);
  if (eps) arguments.add(*eps);
  arguments.add(group);
  launch(out.device(), kernel, row_grid(out.device(), rows, n, group), arguments, options.stream);
  return out;
}

/// The norm of x + residual, and that sum. Inputs are x, residual, then the weights.
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
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("rows"));

  AddedNorm results;
  // Each may be a term of the sum, which is read before either is written; not what is read later, or the other.
  const auto result = [&](const Tensor* out, Inputs others) {
    if (out && *out) check_out(name, *out, x.shape(), type, others, InPlace::refused);
    return output(name, x.device(), x.shape(), type, {options.stream, out}, inputs.first(2),
                  InPlace::allowed);
  };
  results.sum = result(options.sum, weights);
  const std::array<const Tensor*, 3> taken{&results.sum, weights.front(), weights.back()};
  results.norm = result(options.norm, taken);
  if (results.sum.elements() == 0) return results;

  const std::uint32_t group = row_group(n, type);
  const std::int64_t rows = results.sum.elements() / n;
  Arguments arguments;
  std::array<Tensor, 4> operands;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    operands[k] = make_contiguous(*inputs[k], options.stream);
    arguments.add(operands[k].data());
  }
  arguments.add(results.sum.data()).add(results.norm.data()).add(rows).add(n).add(eps).add(group);
  launch(x.device(), kernel, row_grid(x.device(), rows, n, group), arguments, options.stream);
  return results;
}

}  // namespace

Tensor softmax(const Tensor& x, const CallOptions& options) {
  const Tensor* const inputs[] = {&x};
  return normalize(Builtin::softmax, "softmax", inputs, {}, options);
}

Tensor log_softmax(const Tensor& x, const CallOptions& options) {
  const Tensor* const inputs[] = {&x};
  return normalize(Builtin::log_softmax, "log_softmax", inputs, {}, options);
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
