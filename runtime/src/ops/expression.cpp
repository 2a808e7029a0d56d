#include "kernelgen/ops/expression.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "common/format.hpp"
#include "ops/expression_kernels.hpp"
#include "ops/map_call.hpp"

namespace kernelgen {
namespace {

/// The operands of a call, split into tensors and numbers. Uses no heap memory.
struct Operands {
  explicit Operands(std::span<const ExpressionOperand> given) {
    for (const ExpressionOperand& operand : given) {
      if (operand.tensor == nullptr) {
        if (scalar_count == scalars.size()) too_many("numbers", scalars.size());
        scalars[scalar_count++] = operand.number;
        continue;
      }
      if (input_count == inputs.size()) too_many("tensors", inputs.size());
      inputs[input_count++] = operand.tensor;
    }
    if (input_count == 0) invalid("expression: no tensor is given; its result takes shape and device of one");
  }

  Inputs tensors() const { return Inputs(inputs).first(input_count); }

  [[noreturn]] static void too_many(const char* what, std::size_t most) {
    invalid(formatted("expression: more than {} {} are given", most, what));
  }

  std::array<const Tensor*, max_map_inputs> inputs{};
  std::size_t input_count = 0;
  std::array<Scalar, KERNELGEN_MAX_SCALARS> scalars{0, 0, 0, 0, 0, 0, 0, 0};
  std::size_t scalar_count = 0;
};

DType result_type(Inputs inputs, const ExpressionOptions& options) {
  if (options.dtype) return *options.dtype;
  if (options.out != nullptr && *options.out) return options.out->dtype();
  const DType type = inputs[0]->dtype();
  for (const Tensor* input : inputs)
    if (input->dtype() != type)
      invalid(formatted(
          "expression: the tensors are {} and {}, which does not decide the result's dtype; name it",
          name_of(type), name_of(input->dtype())));
  return type;
}

/// The dtype numbers are converted to.
DType number_type(Inputs inputs) {
  for (const Tensor* input : inputs)
    if (is_float(input->dtype())) return input->dtype();
  return inputs[0]->dtype();
}

}  // namespace

Tensor expression(std::string_view text, std::span<const ExpressionOperand> operands,
                  const ExpressionOptions& options) {
  const Operands given(operands);
  const Inputs inputs = given.tensors();
  check_inputs("expression", inputs);
  Shape shape = inputs[0]->shape();
  for (const Tensor* input : inputs.subspan(1))
    if (!(input->shape() == shape)) shape = broadcast_shapes("expression", shape, input->shape());
  const DType type = result_type(inputs, options);
  if (is_quantized(type))
    invalid(formatted("expression: its result cannot be {}: quantize makes such tensors", name_of(type)));
  const Device device = inputs[0]->device();
  const DType number = number_type(inputs);
  std::array<ScalarElement, KERNELGEN_MAX_SCALARS> numbers;
  for (std::size_t i = 0; i < given.scalar_count; ++i) numbers[i] = {given.scalars[i], number};
  const Tensor out =
      output("expression", device, shape, type, {options.stream, options.out}, inputs, InPlace::allowed);
  const ExpressionKernels kernels(device, options.stream, {text, operands, type, number});
  MapCall{inputs, std::span(numbers).first(given.scalar_count), out, kernels, options.stream}.run();
  return out;
}

Tensor expression(std::string_view text, std::initializer_list<ExpressionOperand> operands,
                  const ExpressionOptions& options) {
  return expression(text, std::span(operands.begin(), operands.size()), options);
}

}  // namespace kernelgen
