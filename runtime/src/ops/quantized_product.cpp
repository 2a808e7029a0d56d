#include "ops/quantized_product.hpp"

#include <algorithm>

#include "device/device_state.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/matmul.hpp"
#include "kernelgen/ops/quantized.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/grid.hpp"
#include "plan/quantized.hpp"

namespace kernelgen {
namespace {

/// x, or a copy, with contiguous rows that have one stride.
Tensor in_rows(const Tensor& x, const Stream& stream) {
  const Layout& layout = x.layout();
  const bool follow = layout.shape.back() == 1 || layout.strides.back() == 1;
  return follow && row_distance(layout) ? x : copy(x, {.stream = stream});
}

}  // namespace

ActivationRows::ActivationRows(const Tensor& x, const Stream& stream)
    : tensor(in_rows(x, stream)), n(x.shape().back()) {
  rows = n == 0 ? 0 : x.elements() / n;
  row_stride = row_distance(tensor.layout()).value();
}

std::uint32_t QuantizedProduct::kernel(std::string_view form) const {
  const Operation operation = Operation::builtin(device(), Builtin::quantized_matmul);
  const DType type = weights.tensor.dtype();
  return operation.kernel({&type, 1}, operation.form(form));
}

Tensor QuantizedProduct::workspace(std::int64_t bytes) const {
  return Tensor::empty(device(), {std::max<std::int64_t>(bytes, 1)}, DType::u8, stream);
}

void QuantizedProduct::run() const {
  QuantizedProblem problem{
      rows, x.n, columns, choice != nullptr, choice ? choice->experts : 0, weights.tensor.dtype()};
  if (gate == kg::GateType::none)
    for (std::size_t i = 0; i < others.size(); ++i) problem.more_rows[i] = others[i].weights.rows;
  const QuantizedPlan plan = plan_quantized_product(problem, traits_of(device()));
  switch (plan.form) {
    case QuantizedForm::vector:
      return run_by_vector(plan);
    case QuantizedForm::columns:
      return multiply_quantized(plan, plan.tile_width == 4 ? "columns_4" : "columns_8", y);
    case QuantizedForm::tiles:
      return run_tiles(plan);
    default:
      run_dense();
  }
}

/// x as two bf16 matrices, one below the other: the rounded values and the rounding errors. Plain bf16 would
/// round both operands by up to 2^-8; the second matrix recovers x's loss, so only weights are rounded.
Tensor QuantizedProduct::split_columns() const {
  const Operation operation = Operation::builtin(device(), Builtin::split_columns);
  const Tensor columns = Tensor::empty(device(), {2 * x.rows, x.n}, DType::bf16, stream);
  const Arguments arguments = Arguments()
                                  .add(x.tensor.data())
                                  .add(activation_type(x.tensor.dtype()))
                                  .add(columns.data())
                                  .add(x.rows)
                                  .add(x.n)
                                  .add(x.row_stride);
  launch(device(), operation.kernel({}, operation.form("rows")),
         element_grid(x.rows * x.n / 4, 1, traits_of(device())), arguments, stream);
  return columns;
}

/// y = the sum of `parts` partial products, [parts, columns, rows] of f32.
void QuantizedProduct::add_partial_products(const Tensor& products, std::uint32_t parts) const {
  const Operation operation = Operation::builtin(device(), Builtin::add_partial_products);
  const Arguments arguments = Arguments()
                                  .add(products.data())
                                  .add(y.data())
                                  .add(activation_type(y.dtype()))
                                  .add(y.elements())
                                  .add(parts);
  launch(device(), operation.kernel({}, operation.form("rows")),
         element_grid(y.elements(), 1, traits_of(device())), arguments, stream);
}

/// Dequantizes the weights, to bf16 on a GPU and to f32 on a CPU, and multiplies plain matrices.
void QuantizedProduct::run_dense() const {
  const CallOptions in_stream{.stream = stream};
  if (state_of(device()).threads() > 0) return run_dense_on_cpu();
  const Tensor plain = dequantize(weights.tensor, DType::bf16, in_stream);
  if (y.dtype() != DType::bf16) {
    const Tensor products = Tensor::empty(device(), {2 * x.rows, rows}, DType::f32, stream);
    matmul(split_columns(), plain.transpose(0, 1), {stream, &products});
    return add_partial_products(products, 2);
  }
  const Tensor columns = make_contiguous(x.tensor, stream).reshape({x.rows, x.n});
  const Tensor products = Tensor::empty(device(), {x.rows, rows}, DType::f32, stream);
  matmul(columns, plain.transpose(0, 1), {stream, &products});
  const Tensor rounded = y.reshape({x.rows, rows});
  to_dtype(products, DType::bf16, {stream, &rounded});
}

void QuantizedProduct::run_dense_on_cpu() const {
  const CallOptions in_stream{.stream = stream};
  const Tensor plain = dequantize(weights.tensor, DType::f32, in_stream);
  const Tensor columns = to_dtype(x.tensor, DType::f32, in_stream).reshape({x.rows, x.n});
  const Tensor product = matmul(columns, plain.transpose(0, 1), in_stream);
  const Tensor results = y.reshape({x.rows, rows});
  to_dtype(product, y.dtype(), {stream, &results});
}

void QuantizedProduct::run_by_vector(const QuantizedPlan& plan) const {
  Arguments arguments;
  arguments.add(weights.tensor.data()).add(static_cast<std::uint32_t>(rows)).add(plan.parts).add(y.data());
  for (std::size_t i = 0; i + 1 < quantized_factors; ++i) {
    const bool is_there = i < others.size();
    arguments.add(is_there ? others[i].weights.tensor.data() : nullptr)
        .add(static_cast<std::uint32_t>(is_there ? others[i].weights.rows : 0))
        .add(plan.more_parts[i])
        .add(is_there ? others[i].y.data() : nullptr);
  }
  arguments.add(x.tensor.data())
      .add(activation_type(y.dtype()))
      .add(x.n)
      .add(weights.row_bytes)
      .add(columns)
      .add(static_cast<std::uint32_t>(results_per_column))
      .add(x.row_stride)
      .add(gate)
      .add(choice ? choice->ids.data() : nullptr)
      .add(static_cast<std::uint32_t>(choice ? choice->ids.dtype() : DType::u32))
      .add(choice ? choice->experts : std::int64_t{1})
      .add(choice ? choice->expert_bytes : std::int64_t{0})
      .add(choice ? choice->call.record() : nullptr)
      .add(choice ? choice->call.number(0) : std::uint64_t{0})
      .add(choice ? &choice->operation : nullptr);
  launch(device(), kernel("vector"), plan.shape, arguments, stream);
}

const Tensor& QuantizedProduct::quantized_columns() const {
  if (*bytes) {
    const Tensor* const kept = bytes;
    use_operands(stream, {&kept, 1}, {});
    return *bytes;
  }
  const Operation operation = Operation::builtin(device(), Builtin::quantize_columns);
  const auto column = static_cast<std::int64_t>(kg::quantized_column_bytes(static_cast<std::uint64_t>(x.n)));
  *bytes = workspace(column * x.rows);
  const Arguments arguments = Arguments()
                                  .add(x.tensor.data())
                                  .add(activation_type(x.tensor.dtype()))
                                  .add(bytes->data())
                                  .add(x.rows)
                                  .add(x.n)
                                  .add(x.row_stride);
  const LaunchShape shape = quantize_columns_grid(x.rows, x.n, traits_of(device()));
  launch(device(), operation.kernel({}, operation.form("rows")), shape, arguments, stream);
  return *bytes;
}

/// Quantizes the columns, groups them by expert and multiplies them into `products`.
void QuantizedProduct::multiply_quantized(const QuantizedPlan& plan, std::string_view form,
                                          const Tensor& products) const {
  const Tensor& x_quantized = quantized_columns();
  const Tensor grouped =
      choice ? group_columns(*choice, plan.tiles, plan.tile_width, false, y, stream) : Tensor();
  const Arguments arguments = Arguments()
                                  .add(weights.tensor.data())
                                  .add(x_quantized.data())
                                  .add(products.data())
                                  .add(activation_type(products.dtype()))
                                  .add(static_cast<std::uint32_t>(rows))
                                  .add(x.n)
                                  .add(weights.row_bytes)
                                  .add(columns)
                                  .add(results_per_column)
                                  .add(plan.form == QuantizedForm::tiles ? plan.k_splits : plan.parts)
                                  .add(choice ? grouped.data() : nullptr)
                                  .add(plan.tiles)
                                  .add(choice ? choice->expert_bytes : std::int64_t{0});
  launch(device(), kernel(form), plan.shape, arguments, stream);
}

void QuantizedProduct::run_tiles(const QuantizedPlan& plan) const {
  if (plan.k_splits == 1) return multiply_quantized(plan, "tiles", y);
  const Tensor products = Tensor::empty(device(), {plan.k_splits, columns, rows}, DType::f32, stream);
  multiply_quantized(plan, "tiles", products);
  add_partial_products(products, plan.k_splits);
}

}  // namespace kernelgen
