#include "ops/map_rows.hpp"

#include <array>

#include "common/format.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/rows.hpp"
#include "ops/scalar_element.hpp"
#include "ops/traits.hpp"
#include "ops/type_binding.hpp"
#include "plan/row_plan.hpp"

namespace kernelgen {
namespace {

/// Throws Error unless the inputs are as many as the operation takes, on one device, and of one dtype.
void check(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars) {
  check_inputs(operation.name(), inputs);
  check_counts(operation, inputs, scalars);
  for (const Tensor* input : inputs)
    if (input->dtype() != inputs[0]->dtype())
      invalid(formatted("{}: inputs are {} and {}; they must have one dtype", operation.name(),
                        name_of(inputs[0]->dtype()), name_of(input->dtype())));
}

/// Whether the operand is one row, the same for all rows of x.
bool is_one_row(const Tensor& operand, const Shape& shape) {
  return operand.shape().size() == 1 && operand.shape().back() == shape.back();
}

/// An operand of every row of x. Throws Error.
Tensor broadcast(const Operation& operation, const Tensor& operand, const Shape& shape) {
  if (!(broadcast_shapes(operation.name(), operand.shape(), shape) == shape))
    invalid(formatted("{}: an input of shape {} cannot be broadcast to that of the first, {}",
                      operation.name(), operand.shape().to_string(), shape.to_string()));
  return operand.broadcast_to(shape);
}

}  // namespace

Tensor map_rows(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
                const CallOptions& options) {
  check(operation, inputs, scalars);
  const Tensor& x = *inputs[0];
  const Shape& shape = x.shape();
  const DType type = x.dtype();
  const auto operands = operation.operands();
  const std::int64_t n = row_length(operation.name(), operation.text(operands[0].name), x);
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("rows"));
  std::array<Tensor, KERNELGEN_MAX_INPUTS> rows;
  for (std::size_t k = 0; k < inputs.size(); ++k)
    rows[k] = is_one_row(*inputs[k], shape) ? *inputs[k] : broadcast(operation, *inputs[k], shape);
  std::array<ScalarElement, KERNELGEN_MAX_SCALARS> numbers;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const std::uint32_t declared = operands[inputs.size() + 1 + i].type;
    numbers[i] = {scalars[i], declared & KERNELGEN_TYPE_VARIABLE ? type : static_cast<DType>(declared)};
  }
  const Tensor out = output(operation.name(), x.device(), shape, type, options, inputs, InPlace::allowed);
  if (out.elements() == 0) return out;

  Arguments arguments;
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    rows[k] = make_contiguous(rows[k], options.stream);
    arguments.add(rows[k].data());
  }
  arguments.add(out.data());
  for (std::size_t k = 1; k < inputs.size(); ++k) arguments.add(is_one_row(rows[k], shape) ? 0 : n);
  const RowPlan plan =
      plan_rows({out.elements() / n, n, type, RowOperands::expressions}, traits_of(out.device()));
  arguments.add(out.elements() / n).add(n);
  for (std::size_t i = 0; i < scalars.size(); ++i) numbers[i].add_to(arguments);
  arguments.add(plan.group);
  launch(out.device(), kernel, plan.shape, arguments, options.stream);
  return out;
}

}  // namespace kernelgen
