#include <array>

#include "common/format.hpp"

#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/rows.hpp"
#include "ops/traits.hpp"
#include "plan/row_plan.hpp"

namespace kernelgen {
namespace {

/// The operation whose first pass stores the States of `op`: several have the same.
Builtin states_of(Builtin op) {
  switch (op) {
    case Builtin::log_softmax:
      return Builtin::softmax;
    case Builtin::plain_rms_norm:
    case Builtin::l2_norm:
      return Builtin::rms_norm;
    case Builtin::plain_layer_norm:
      return Builtin::layer_norm;
    default:
      return op;
  }
}

/// Contiguous rows that an operation maps to rows through one State each. Arguments: x and, for sums, the
/// residual; then the weights; then the results.
struct Rows {
  Builtin op;
  const Operation& operation;
  DType dtype;
  std::int64_t rows, n;
  std::optional<double> eps;
  const Stream& stream;

  void run(const Device& device, std::span<const void* const> terms, std::span<const void* const> weights,
           std::span<void* const> results) const {
    const RowOperands operands = terms.size() > 1  ? RowOperands::sums
                                 : weights.empty() ? RowOperands::result
                                                   : RowOperands::shared;
    const RowPlan plan = plan_rows({rows, n, dtype, operands}, traits_of(device));
    const auto pointers = [](Arguments& arguments, auto list) {
      for (const void* pointer : list) arguments.add(pointer);
    };
    Arguments arguments;
    pointers(arguments, terms);
    if (plan.part == n) {
      pointers(arguments, weights);
      pointers(arguments, results);
      arguments.add(rows).add(n);
      if (eps) arguments.add(*eps);
      arguments.add(plan.group);
      return launch(device, kernel(operation, "rows"), plan.shape, arguments, stream);
    }
    const Tensor states = row_states(device, plan.parts, stream);
    Arguments first = arguments;
    pointers(first, results.first(results.size() - 1));
    first.add(states.data()).add(rows).add(n).add(plan.part);
    launch(device, kernel(Operation::builtin(device, states_of(op)), "partial"), plan.shape, first, stream);
    pointers(arguments, weights);
    pointers(arguments, results);
    arguments.add(states.data()).add(rows).add(n).add(plan.part);
    if (eps) arguments.add(*eps);
    launch(device, kernel(operation, "combine"), plan.shape, arguments, stream);
  }

 private:
  std::uint32_t kernel(const Operation& from, std::string_view form) const {
    return from.kernel({&dtype, 1}, from.form(form));
  }
};

/// Inputs are x, then the weights, each as long as the last dim.
Tensor normalize(Builtin op, std::string_view name, Inputs inputs, std::optional<double> eps,
                 const CallOptions& options) {
  check_inputs(name, inputs);
  const Tensor& x = *inputs[0];
  const std::int64_t n = row_length(name, "x", x);
  check_weights(name, x, inputs.subspan(1));
  if (eps) check_eps(name, x, *eps);
  const Operation operation = Operation::builtin(x.device(), op);
  const DType type = x.dtype();
  operation.kernel({&type, 1}, operation.form("rows"));  // throws on other dtypes before the output is
                                                         // allocated
  const Tensor out = output(name, x.device(), x.shape(), type, options, inputs, InPlace::allowed);
  if (out.elements() == 0) return out;

  std::array<Tensor, 3> operands;
  std::array<const void*, 3> pointers;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    operands[k] = make_contiguous(*inputs[k], options.stream);
    pointers[k] = operands[k].data();
  }
  void* const results[] = {out.data()};
  const std::span<const void* const> given(pointers.data(), inputs.size());
  Rows{op, operation, type, out.elements() / n, n, eps, options.stream}.run(out.device(), given.first(1),
                                                                            given.subspan(1), results);
  return out;
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
  Rows{op, operation, type, results.sum.elements() / n, n, eps, options.stream}.run(
      x.device(), given.first(2), given.subspan(2), outs);
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
