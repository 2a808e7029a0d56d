#include "ops/map_rows.hpp"

#include <array>
#include <string_view>

#include "common/format.hpp"
#include "ops/operand.hpp"
#include "ops/rows.hpp"
#include "ops/scalar_element.hpp"
#include "ops/type_binding.hpp"

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

/// An operand with a row for each row of x, whose shape is `shape`. Throws Error.
Tensor broadcast(const Operation& operation, const Tensor& operand, const Shape& shape) {
  if (!(broadcast_shapes(operation.name(), operand.shape(), shape) == shape))
    invalid(formatted("{}: an input of shape {} cannot be broadcast to that of the first, {}",
                      operation.name(), operand.shape().to_string(), shape.to_string()));
  return operand.broadcast_to(shape);
}

/// All inputs except the first: one row for all, or broadcast to the shape of the first.
struct RowOperandTensors {
  std::array<Tensor, KERNELGEN_MAX_INPUTS> tensors;
  /// Elements from one row to the next; only of inputs for which kernels have such an argument, in the order of the inputs.
  std::array<std::int64_t, KERNELGEN_MAX_INPUTS> row_strides{};
  std::size_t stride_count = 0;
  bool are_shared = true;  ///< each is one row for all
};

/// Whether the kernels of form "rows" have an argument for the row stride of input k: "step" and the number k, after the inputs and
/// the result. Inputs that the manifest lists as "shared" have none.
bool has_row_stride(const Operation& operation, int form, std::size_t k) {
  const auto inputs = static_cast<std::size_t>(operation.inputs());
  for (const auto& argument : operation.arguments(form).subspan(inputs + 1)) {
    const std::string_view name = operation.text(argument.name);
    if (!name.starts_with("step")) break;
    if (name.ends_with(static_cast<char>('0' + k))) return true;
  }
  return false;
}

/// Throws Error for an input that cannot be broadcast to the first, or is more than one row where it has to be one.
RowOperandTensors row_operands(const Operation& operation, int form, Inputs inputs) {
  const Shape& shape = inputs[0]->shape();
  RowOperandTensors operands;
  for (std::size_t k = 1; k < inputs.size(); ++k) {
    const bool is_one = is_one_row(*inputs[k], shape), has_stride = has_row_stride(operation, form, k);
    if (!is_one && !has_stride)
      invalid(formatted("{}: {} is {}; it has to be [{}], one row for all of {}", operation.name(),
                        operation.text(operation.operands()[k].name), inputs[k]->shape().to_string(),
                        shape.back(), shape.to_string()));
    operands.tensors[k - 1] = is_one ? *inputs[k] : broadcast(operation, *inputs[k], shape);
    if (has_stride) operands.row_strides[operands.stride_count++] = is_one ? 0 : shape.back();
    operands.are_shared = operands.are_shared && is_one;
  }
  return operands;
}

}  // namespace

Tensor map_rows(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars,
                const CallOptions& options) {
  check(operation, inputs, scalars);
  const Tensor& x = *inputs[0];
  const Shape& shape = x.shape();
  const DType type = x.dtype();
  const auto declared = operation.operands();
  const std::int64_t n = row_length(operation.name(), operation.text(declared[0].name), x);
  const int form = operation.form("rows");
  operation.kernel({&type, 1}, form);  // throws on other dtypes before the output is allocated
  RowOperandTensors operands = row_operands(operation, form, inputs);
  std::array<ScalarElement, KERNELGEN_MAX_SCALARS> numbers;
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    const std::uint32_t code = declared[inputs.size() + 1 + i].type;
    numbers[i] = {scalars[i], code & KERNELGEN_TYPE_VARIABLE ? type : static_cast<DType>(code)};
  }
  const Tensor out = output(operation.name(), x.device(), shape, type, options, inputs, InPlace::allowed);
  if (out.elements() == 0) return out;

  const Tensor source = make_contiguous(x, options.stream);
  std::array<const void*, KERNELGEN_MAX_INPUTS> pointers{source.data()};
  for (std::size_t k = 0; k + 1 < inputs.size(); ++k) {
    operands.tensors[k] = make_contiguous(operands.tensors[k], options.stream);
    pointers[k + 1] = operands.tensors[k].data();
  }
  const RowOperands kind = !operands.are_shared ? RowOperands::per_row
                           : inputs.size() > 1  ? RowOperands::shared
                                                : RowOperands::none;
  const std::span<const void* const> given(pointers.data(), inputs.size());
  void* const results[] = {out.data()};
  RowCall{.operation = operation,
          .problem = {out.elements() / n, n, type, kind, operation.find_form("partial").has_value()},
          .sources = given.first(1),
          .operands = given.subspan(1),
          .row_strides = std::span(operands.row_strides).first(operands.stride_count),
          .results = results,
          .scalars = std::span(numbers).first(scalars.size())}
      .run(out.device(), options.stream);
  return out;
}

}  // namespace kernelgen
