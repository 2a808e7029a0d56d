#include <cmath>
#include <vector>

#include "common/format.hpp"
#include "device/device_state.hpp"
#include "kernelgen/ops.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/rows.hpp"
#include "ops/traits.hpp"
#include "plan/row_plan.hpp"
#include "plan/scaled_softmax.hpp"

namespace kernelgen {
namespace {

constexpr std::string_view name = "scaled_softmax";

void check_mask(const Tensor& x, const Tensor& mask) {
  if (mask.dtype() != DType::f16 && mask.dtype() != DType::f32)
    invalid(formatted("{}: mask is {}; it has to be f16 or f32", name, name_of(mask.dtype())));
  if (mask.shape().size() > x.shape().size() ||
      !(broadcast_shapes(name, mask.shape(), x.shape()) == x.shape()))
    invalid(formatted("{}: mask is {}, x {}; the mask has to be broadcast to x's shape", name,
                      mask.shape().to_string(), x.shape().to_string()));
}

void check_heads(std::string_view role, const Tensor& x, const Tensor& heads) {
  const std::size_t rank = x.shape().size();
  if (heads.dtype() != DType::f32 || rank < 3 || !(heads.shape() == Shape{x.shape()[rank - 3]}))
    invalid(
        formatted("{}: {} are {} {}, x is {}; they have to be f32 [heads], and x [..., heads, rows, columns]",
                  name, role, name_of(heads.dtype()), heads.shape().to_string(), x.shape().to_string()));
}

/// A number for each head as a layout over x's rows.
Layout layout_of_heads(const Tensor* heads, const Shape& rows) {
  Layout layout{rows, {}, 0};
  for (std::size_t d = 0; d < rows.size(); ++d)
    layout.strides.push_back(heads != nullptr && d + 2 == rows.size() ? heads->layout().strides[0] : 0);
  return layout;
}

/// The mask as a layout over x's rows.
Layout layout_of_mask(const Tensor* mask, const Shape& x, const Shape& rows) {
  Layout layout{rows, {}, 0};
  const Layout whole = mask != nullptr ? mask->layout().broadcast_to(x) : Layout{};
  for (std::size_t d = 0; d < rows.size(); ++d)
    layout.strides.push_back(mask != nullptr ? whole.strides[d] : 0);
  return layout;
}

/// Addresses of a call's first row, and of what is there for it.
struct Operands {
  const void *x, *y, *mask, *slopes, *sinks;
};

/// f32 rows that several blocks share.
void launch_parts(const Device& device, const Operands& operands, const kg::ScaledSoftmaxShape& shape,
                  std::int64_t n, const RowPlan& plan, const Stream& stream) {
  const Operation operation = Operation::builtin(device, Builtin::scaled_softmax_long);
  constexpr DType type = DType::f32;
  const Tensor states = row_states(device, plan.parts, stream);
  const Arguments first = Arguments()
                              .add(operands.x)
                              .add(operands.mask)
                              .add(operands.slopes)
                              .add(states.data())
                              .add(shape)
                              .add(n)
                              .add(plan.part);
  launch(device, operation.kernel({&type, 1}, operation.form("partial")), plan.shape, first, stream);
  const Arguments second = Arguments()
                               .add(operands.x)
                               .add(operands.y)
                               .add(operands.mask)
                               .add(operands.slopes)
                               .add(operands.sinks)
                               .add(states.data())
                               .add(shape)
                               .add(n)
                               .add(plan.part);
  launch(device, operation.kernel({&type, 1}, operation.form("combine")), plan.shape, second, stream);
}

}  // namespace

Tensor scaled_softmax(const Tensor& x, const ScaledSoftmaxOptions& options) {
  std::vector<const Tensor*> inputs{&x};
  for (const Tensor* input : {options.mask, options.slopes, options.sinks})
    if (input != nullptr) inputs.push_back(input);
  check_inputs(name, inputs);
  const std::int64_t n = row_length(name, "x", x);
  if (!std::isfinite(options.scale))
    invalid(formatted("{}: scale is {}; it has to be finite", name, options.scale));
  if (options.mask != nullptr) check_mask(x, *options.mask);
  if (options.slopes != nullptr) check_heads("slopes", x, *options.slopes);
  if (options.sinks != nullptr) check_heads("sinks", x, *options.sinks);

  const Device& device = x.device();
  const Operation operation = Operation::builtin(device, Builtin::scaled_softmax);
  const DType type = x.dtype();
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("rows"));
  const Inputs others = Inputs(inputs).subspan(1);
  if (options.out != nullptr && *options.out) check_apart(name, "out", *options.out, others);
  const Tensor out = output(name, device, x.shape(), type, {options.stream, options.out}, {inputs.data(), 1},
                            InPlace::allowed);
  use_operands(options.stream, others, {});
  if (out.elements() == 0) return out;

  const Tensor source = make_contiguous(x, options.stream);
  Shape rows = x.shape();
  rows.erase(rows.size() - 1);
  const Layout mask = layout_of_mask(options.mask, x.shape(), rows),
               slopes = layout_of_heads(options.slopes, rows), sinks = layout_of_heads(options.sinks, rows);
  kg::ScaledSoftmaxShape shape{};
  shape.scale = options.scale;
  shape.mask_is_half = options.mask != nullptr && options.mask->dtype() == DType::f16;
  if (options.mask != nullptr)
    shape.mask_step = options.mask->layout().broadcast_to(x.shape()).strides[rows.size()];
  const Iteration<3> nest(rows, {&mask, &slopes, &sinks});
  nest.for_each_piece([&](const kg::Strided<3>& piece, const auto& offsets, std::int64_t first) {
    shape.rows = piece;
    const auto address = [](const Tensor* tensor, std::int64_t offset) {
      return tensor == nullptr ? nullptr : element_address(*tensor, offset);
    };
    const RowPlan plan =
        plan_rows({piece.elements, n, type, RowOperands::masked, type == DType::f32}, traits_of(device));
    const Operands operands{element_address(source, first * n), element_address(out, first * n),
                            address(options.mask, offsets[0]), address(options.slopes, offsets[1]),
                            address(options.sinks, offsets[2])};
    if (plan.part < n) return launch_parts(device, operands, shape, n, plan, options.stream);
    const Arguments arguments = Arguments()
                                    .add(operands.x)
                                    .add(operands.y)
                                    .add(operands.mask)
                                    .add(operands.slopes)
                                    .add(operands.sinks)
                                    .add(shape)
                                    .add(n)
                                    .add(plan.group);
    launch(device, kernel, plan.shape, arguments, options.stream);
  });
  return out;
}

}  // namespace kernelgen
