#include "common/format.hpp"
#include "device/device_state.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/quantized.hpp"
#include "ops/block_rows.hpp"
#include "ops/index.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/quantized_plan.hpp"

namespace kernelgen {
namespace {

/// Dequantizes rows of `table` into y, contiguous: those of `ids`, or all in order if ids is null.
void dequantize_rows(const IndexOperation& name, BlockRows table, const Tensor* ids, const Tensor& y,
                     const Stream& stream) {
  const Device& device = y.device();
  DeviceState& state = state_of(device);
  const Operation operation = Operation::builtin(device, Builtin::dequantize);
  const DType type = table.tensor.dtype();
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("rows"));
  if (y.elements() == 0) return;
  const std::int64_t size = table.rows;
  // Contiguous rows are merged into one long row.
  if (!ids && table.row_bytes == bytes_of(type, table.n)) {
    table.n *= table.rows;
    table.rows = 1;
  }
  const std::int64_t rows = ids ? ids->elements() : table.rows;
  const DequantizePlan plan = plan_dequantize(rows, table.n, traits_of(state));
  const IndexFaults::Call call(state.index_faults(), *state.fault_queue(stream));
  const Arguments arguments = Arguments()
                                  .add(table.tensor.data())
                                  .add(ids ? ids->data() : nullptr)
                                  .add(static_cast<std::uint32_t>(ids ? ids->dtype() : DType::u32))
                                  .add(y.data())
                                  .add(activation_type(y.dtype()))
                                  .add(rows)
                                  .add(table.n)
                                  .add(table.row_bytes)
                                  .add(plan.part)
                                  .add(plan.group)
                                  .add(call.record())
                                  .add(call.number(0))
                                  .add(&name)
                                  .add(size);
  launch(device, kernel, plan.shape, arguments, stream);
}

/// The same of a plain table.
void select_rows(const IndexOperation& name, const Tensor& table, const Tensor& ids, const Tensor& y,
                 const Stream& stream) {
  if (y.elements() == 0) return;
  const Shape shape{ids.elements(), table.shape()[1]};
  const Tensor list = ids.reshape({ids.elements()}), rows = y.reshape(shape);
  const Tensor selected =
      table.dtype() == y.dtype() ? rows : Tensor::empty(y.device(), shape, table.dtype(), stream);
  gather_into(IndexWalk(name, shape, 0, table.shape()[0], list), table, selected, stream);
  if (table.dtype() != y.dtype()) to_dtype(selected, y.dtype(), {stream, &rows});
}

}  // namespace

Tensor dequantize(const Tensor& x, DType dtype, const CallOptions& options) {
  static constexpr IndexOperation operation{"dequantize"};
  constexpr const char* name = operation.name;
  const Tensor* const inputs[] = {&x};
  check_tensors(name, inputs);
  check_quantized(name, "x's elements", x, 0);
  check_activation(name, "the wanted dtype is", dtype);
  const Tensor out = output(name, x.device(), x.shape(), dtype, options, inputs);
  dequantize_rows(operation, BlockRows(x, options.stream), nullptr, out, options.stream);
  return out;
}

Tensor get_rows(const Tensor& table, const Tensor& ids, DType dtype, const CallOptions& options) {
  static constexpr IndexOperation operation{"get_rows"};
  constexpr const char* name = operation.name;
  const Tensor* const inputs[] = {&table, &ids};
  check_tensors(name, inputs);
  if (table.dtype() != DType::f32 && table.dtype() != DType::f16 && table.dtype() != DType::bf16)
    check_quantized(name, "the table's rows", table, 2);
  if (table.shape().size() != 2)
    invalid(formatted("{}: the table's rows are {}; they need a rank of 2", name, table.shape().to_string()));
  check_ids(name, ids);
  check_activation(name, "the wanted dtype is", dtype);
  Shape shape = ids.shape();
  shape.push_back(table.shape()[1]);
  const Tensor out = output(name, table.device(), shape, dtype, options, inputs);
  const Tensor in_order = make_contiguous(ids, options.stream);
  if (is_quantized(table.dtype()))
    dequantize_rows(operation, BlockRows(table, options.stream), &in_order, out, options.stream);
  else
    select_rows(operation, table, in_order, out, options.stream);
  return out;
}

}  // namespace kernelgen
