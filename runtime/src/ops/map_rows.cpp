#include "ops/map_rows.hpp"

#include <algorithm>
#include <array>
#include <string>

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

/// The inputs of an operation on rows, contiguous.
struct RowInputs {
  std::array<Tensor, KERNELGEN_MAX_INPUTS> tensors;
  std::array<std::int64_t, KERNELGEN_MAX_INPUTS> steps{};  ///< elements from one row to the next
  std::array<bool, KERNELGEN_MAX_INPUTS> has_step{};       ///< an argument of the kernels
  std::size_t count = 0;
  bool are_shared = true;  ///< one row for all, but for the first

  void add_to(Arguments& arguments) const {
    for (std::size_t k = 0; k < count; ++k) arguments.add(tensors[k].data());
  }
  void add_steps_to(Arguments& arguments) const {
    for (std::size_t k = 1; k < count; ++k)
      if (has_step[k]) arguments.add(steps[k]);
  }
};

/// Whether the kernels of a form have a step from row to row of input k.
bool has_step(const Operation& operation, int form, std::size_t k) {
  const std::string name = formatted("step{}", k);
  return std::ranges::any_of(operation.arguments(form),
                             [&](const auto& argument) { return operation.text(argument.name) == name; });
}

/// Throws Error for an input that cannot be broadcast to the first, or is more than one row where it has to be one.
RowInputs row_inputs(const Operation& operation, int form, Inputs inputs) {
  const Shape& shape = inputs[0]->shape();
  RowInputs rows;
  rows.count = inputs.size();
  rows.tensors[0] = *inputs[0];
  for (std::size_t k = 1; k < inputs.size(); ++k) {
    const bool is_one = is_one_row(*inputs[k], shape);
    rows.has_step[k] = has_step(operation, form, k);
    if (!is_one && !rows.has_step[k])
      invalid(formatted("{}: {} is {}; it has to be [{}], one row for all of {}", operation.name(),
                        operation.text(operation.operands()[k].name), inputs[k]->shape().to_string(),
                        shape.back(), shape.to_string()));
    rows.tensors[k] = is_one ? *inputs[k] : broadcast(operation, *inputs[k], shape);
    rows.steps[k] = is_one ? 0 : shape.back();
    rows.are_shared = rows.are_shared && is_one;
  }
  return rows;
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
  const int form = operation.form("rows");
  const std::uint32_t kernel = operation.kernel({&type, 1}, form);
  RowInputs rows = row_inputs(operation, form, inputs);
  std::array<ScalarElement, KERNELGEN_MAX_SCALARS> numbers;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const std::uint32_t declared = operands[inputs.size() + 1 + i].type;
    numbers[i] = {scalars[i], declared & KERNELGEN_TYPE_VARIABLE ? type : static_cast<DType>(declared)};
  }
  const Tensor out = output(operation.name(), x.device(), shape, type, options, inputs, InPlace::allowed);
  if (out.elements() == 0) return out;

  for (std::size_t k = 0; k < rows.count; ++k)
    rows.tensors[k] = make_contiguous(rows.tensors[k], options.stream);
  const std::int64_t count = out.elements() / n;
  const std::optional<int> partial = operation.find_form("partial");
  const RowOperands kind = !rows.are_shared ? RowOperands::of_each_row
                           : rows.count > 1 ? RowOperands::shared
                                            : RowOperands::result;
  const RowPlan plan = plan_rows({count, n, type, kind, partial.has_value()}, traits_of(out.device()));
  const auto add_numbers = [&](Arguments& arguments) {
    for (std::size_t i = 0; i < scalars.size(); ++i) numbers[i].add_to(arguments);
  };
  Arguments arguments;
  rows.add_to(arguments);
  arguments.add(out.data());
  if (plan.part == n) {
    rows.add_steps_to(arguments);
    arguments.add(count).add(n);
    add_numbers(arguments);
    arguments.add(plan.group);
    launch(out.device(), kernel, plan.shape, arguments, options.stream);
    return out;
  }
  const Tensor states = row_states(out.device(), plan.parts, options.stream);
  Arguments first;
  first.add(rows.tensors[0].data()).add(states.data()).add(count).add(n).add(plan.part);
  launch(out.device(), operation.kernel({&type, 1}, *partial), plan.shape, first, options.stream);
  arguments.add(states.data());
  rows.add_steps_to(arguments);
  arguments.add(count).add(n).add(plan.part);
  add_numbers(arguments);
  launch(out.device(), operation.kernel({&type, 1}, operation.form("combine")), plan.shape, arguments,
         options.stream);
  return out;
}

}  // namespace kernelgen
