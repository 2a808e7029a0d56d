#include "common/format.hpp"

#include <bit>
#include <cmath>

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "plan/row.hpp"

namespace kernelgen {
namespace {

/// Threads a row: as many as hold it, where a block does.
std::uint32_t group_size(std::int64_t n, DType dtype) {
  const std::int64_t held = kg::held_elements(dtype == DType::f64 ? 8 : 4);
  return std::bit_ceil(
      static_cast<std::uint32_t>(std::clamp<std::int64_t>((n + held - 1) / held, 1, kg::block_threads)));
}

/// Blocks of one group of threads a row, several rows a block where they are short.
LaunchShape row_grid(DeviceState& device, std::int64_t rows, std::int64_t n, std::uint32_t group) {
  if (device.threads() > 0) return element_grid(device, rows * n, 1);
  const std::int64_t rows_each = kg::block_threads / group;
  return block_grid((rows + rows_each - 1) / rows_each);
}

/// Inputs are x, then the weights, each of the last dim's length.
Tensor normalize(Builtin op, std::string_view name, Inputs inputs, std::optional<double> eps,
                 const CallOptions& options) {
  check_inputs(name, inputs);
  const Tensor& x = *inputs[0];
  if (x.shape().empty()) invalid(formatted("{}: x has rank 0; it needs a last dim", name));
  const std::int64_t n = x.shape().back();
  for (const Tensor* weight : inputs.subspan(1)) {
    if (weight->dtype() != x.dtype())
      invalid(formatted("{}: x is {}, weight or bias {}; they must have one dtype", name, name_of(x.dtype()),
                        name_of(weight->dtype())));
    if (!(weight->shape() == Shape{n}))
      invalid(formatted("{}: x is {}, weight or bias {}; they must be [{}]", name, x.shape().to_string(),
                        weight->shape().to_string(), n));
  }
  // f32 is what eps is computed in, but for f64.
  const bool is_finite = !eps || std::isfinite(x.dtype() == DType::f64 ? *eps : static_cast<float>(*eps));
  if (eps && (!is_finite || *eps < 0))
    invalid(formatted("{}: eps is {}; it has to be finite, for {} too, and not negative", name, *eps,
                      name_of(x.dtype())));
  const Operation operation = Operation::builtin(x.device(), op);
  const DType type = x.dtype();
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("rows"));
  const Tensor out = output(name, x.device(), x.shape(), type, options, inputs, InPlace::allowed);
  if (out.elements() == 0) return out;

  const std::uint32_t group = group_size(n, type);
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
  launch(out.device(), kernel, row_grid(state_of(out.device()), rows, n, group), arguments, options.stream);
  return out;
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

}  // namespace kernelgen
