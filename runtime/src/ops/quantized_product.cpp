#include "ops/quantized_product.hpp"

#include <algorithm>

#include "device/device_state.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/matmul.hpp"
#include "kernelgen/ops/quantized.hpp"
#include "ops/grid.hpp"
#include "ops/launch.hpp"
#include "ops/matmul.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "plan/byte_dots.hpp"
#include "plan/quantized.hpp"

namespace kernelgen {
namespace {

/// Blocks in flight per compute unit, and minimum rows that justify another block.
constexpr std::int64_t blocks_a_unit = 2, fewest_rows = 16;
/// Minimum products of bytes that justify waking a CPU thread.
constexpr std::int64_t worth_a_thread = 256 * 1024;

/// x, or a copy with contiguous rows at a uniform distance.
Tensor in_rows(const Tensor& x, const Stream& stream) {
  const Layout& layout = x.layout();
  const bool follow = layout.shape.back() == 1 || layout.strides.back() == 1;
  return follow && row_distance(layout) ? x : copy(x, {.stream = stream});
}

}  // namespace

ActivationRows::ActivationRows(const Tensor& x, const Stream& stream)
    : tensor(in_rows(x, stream)), n(x.shape().back()) {
  rows = n == 0 ? 0 : x.elements() / n;
  row = row_distance(tensor.layout()).value();
}

std::uint32_t QuantizedProduct::kernel(std::string_view form) const {
  const Operation operation = Operation::builtin(device(), Builtin::quantized_matmul);
  const DType type = weights.tensor.dtype();
  return operation.kernel({&type, 1}, operation.form(form));
}

Tensor QuantizedProduct::workspace(std::int64_t bytes) const {
  return Tensor::empty(device(), {std::max<std::int64_t>(bytes, 1)}, DType::u8, stream);
}

/// Blocks that share a task's rows, so that all tasks together fill the device.
std::uint32_t QuantizedProduct::parts(std::int64_t tasks) const {
  DeviceState& state = state_of(device());
  if (state.threads() > 0) {
    const std::int64_t work = std::max<std::int64_t>(rows * x.n / worth_a_thread, 1);
    return static_cast<std::uint32_t>(
        std::min<std::int64_t>({work, rows, std::int64_t{state.threads()} * 4}));
  }
  const std::int64_t slots = std::int64_t{std::max(state.driver().info().compute_units, 1)} * blocks_a_unit;
  const std::int64_t wanted = std::max<std::int64_t>(slots / tasks, 1);
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(quotient_up(rows, fewest_rows), 1, wanted));
}

LaunchShape QuantizedProduct::grid(std::int64_t tasks, std::uint32_t parts) const {
  const int threads = state_of(device()).threads();
  const std::int64_t blocks = tasks * parts;
  LaunchShape shape = block_grid(threads > 0 ? std::min<std::int64_t>(blocks, threads * 16) : blocks);
  if (threads > 0) shape.block[0] = 1;
  return shape;
}

/// Sets the block of a GPU kernel. `bytes` is shared memory in addition to that for rows.
void QuantizedProduct::set_block(LaunchShape& shape, std::uint32_t threads, std::uint32_t bytes) const {
  const DeviceState& state = state_of(device());
  if (state.kind() == DeviceKind::cpu) return;
  shape.block[0] = threads;
  if (state.kind() != DeviceKind::cuda) return;
  const DType type = weights.tensor.dtype();
  const auto block = static_cast<std::uint32_t>(size_of(type));
  const auto slices = static_cast<std::uint32_t>(block_elements(type) / 32);
  shape.shared_bytes = bytes;
  if (alignment_of(type) < 4) shape.shared_bytes += kg::quantized_ring_bytes(threads, {block, slices});
}

bool QuantizedProduct::suits_vectors() const {
  if (x.n > kg::quantized_shared_terms) return false;
  return vectors == 1 || (choice && vectors <= kg::quantized_columns);
}

/// Whether x has so many rows that dequantizing the weights once costs less than reading them again per group
/// of rows. A CPU with 4-way byte dot products multiplies many rows without dequantizing.
bool QuantizedProduct::suits_dense() const {
  if (choice || vectors <= kg::quantized_columns || rows == 1) return false;
  return state_of(device()).threads() == 0 || !kg::has_byte_dots();
}

void QuantizedProduct::run() const {
  suits_vectors() ? run_vectors() : suits_dense() ? run_dense() : run_columns();
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
                                  .add(x.row);
  launch(device(), operation.kernel({}, operation.form("rows")),
         element_grid(state_of(device()), x.rows * x.n / 4, 1), arguments, stream);
  return columns;
}

/// Adds the products of both matrices into y.
void QuantizedProduct::join_columns(const Tensor& products) const {
  const Operation operation = Operation::builtin(device(), Builtin::join_columns);
  const Arguments arguments =
      Arguments().add(products.data()).add(y.data()).add(activation_type(y.dtype())).add(y.elements());
  launch(device(), operation.kernel({}, operation.form("rows")),
         element_grid(state_of(device()), y.elements(), 1), arguments, stream);
}

void QuantizedProduct::run_dense() const {
  const CallOptions in_stream{.stream = stream};
  if (state_of(device()).threads() > 0) return run_dense_on_cpu();
  const Tensor plain = dequantize(weights.tensor, DType::bf16, in_stream);
  if (y.dtype() != DType::bf16) {
    const Tensor products = Tensor::empty(device(), {2 * x.rows, rows}, DType::f32, stream);
    multiply_wide(split_columns(), plain, products, stream);
    return join_columns(products);
  }
  const Tensor columns = make_contiguous(x.tensor, stream).reshape({x.rows, x.n});
  const Tensor products = Tensor::empty(device(), {x.rows, rows}, DType::f32, stream);
  multiply_wide(columns, plain, products, stream);
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

void QuantizedProduct::run_vectors() const {
  const std::uint32_t share_of_rows = parts(vectors);
  Arguments arguments;
  arguments.add(weights.tensor.data())
      .add(x.tensor.data())
      .add(y.data())
      .add(activation_type(y.dtype()))
      .add(static_cast<std::uint32_t>(rows))
      .add(x.n)
      .add(weights.row_bytes)
      .add(vectors)
      .add(static_cast<std::uint32_t>(share))
      .add(x.row)
      .add(share_of_rows)
      .add(choice ? choice->ids.data() : nullptr)
      .add(static_cast<std::uint32_t>(choice ? choice->ids.dtype() : DType::u32))
      .add(choice ? choice->experts : std::int64_t{1})
      .add(choice ? choice->expert_bytes : std::int64_t{0})
      .add(choice ? choice->call.record() : nullptr)
      .add(choice ? choice->call.number(0) : std::uint64_t{0})
      .add(choice ? &choice->operation : nullptr);
  LaunchShape shape = grid(vectors, share_of_rows);
  set_block(shape, kg::quantized_vector_threads,
            static_cast<std::uint32_t>(kg::quantized_column_bytes(static_cast<std::uint64_t>(x.n))));
  launch(device(), kernel("vector"), shape, arguments, stream);
}

Tensor QuantizedProduct::quantized_columns() const {
  const Operation operation = Operation::builtin(device(), Builtin::quantize_columns);
  const Tensor space = workspace(
      static_cast<std::int64_t>(kg::quantized_column_bytes(static_cast<std::uint64_t>(x.n))) * x.rows);
  const Arguments arguments = Arguments()
                                  .add(x.tensor.data())
                                  .add(activation_type(x.tensor.dtype()))
                                  .add(space.data())
                                  .add(x.rows)
                                  .add(x.n)
                                  .add(x.row);
  DeviceState& state = state_of(device());
  const LaunchShape shape = state.threads() > 0 ? element_grid(state, x.rows * x.n, 1)
                                                : block_grid(std::min<std::int64_t>(x.rows, 65536));
  launch(device(), operation.kernel({}, operation.form("rows")), shape, arguments, stream);
  return space;
}

/// Groups the columns by expert, in `tiles`.
Tensor QuantizedProduct::grouped_columns(std::int64_t tiles) const {
  const Operation operation = Operation::builtin(device(), Builtin::group_columns);
  const Tensor grouped = workspace(tiles * static_cast<std::int64_t>(sizeof(kg::ExpertTile)));
  const Tensor counts = workspace((3 * choice->experts + 1) * 4);
  const Arguments arguments = Arguments()
                                  .add(choice->ids.data())
                                  .add(static_cast<std::uint32_t>(choice->ids.dtype()))
                                  .add(vectors)
                                  .add(choice->experts)
                                  .add(grouped.data())
                                  .add(tiles)
                                  .add(counts.data())
                                  .add(y.data())
                                  .add(activation_type(y.dtype()))
                                  .add(rows)
                                  .add(choice->call.record())
                                  .add(choice->call.number(0))
                                  .add(&choice->operation);
  LaunchShape shape = block_grid(1);
  if (state_of(device()).threads() > 0) shape.block[0] = 1;
  launch(device(), operation.kernel({}, operation.form("tiles")), shape, arguments, stream);
  return grouped;
}

void QuantizedProduct::run_columns() const {
  const Tensor space = quantized_columns();
  const std::int64_t most = !choice && vectors <= 4 ? 4 : kg::quantized_columns;
  const std::int64_t tiles =
      choice ? std::min(vectors, quotient_up(vectors, most) + choice->experts) : quotient_up(vectors, most);
  const Tensor grouped = choice ? grouped_columns(tiles) : Tensor();
  const std::uint32_t share_of_rows = parts(tiles);
  const Arguments arguments = Arguments()
                                  .add(weights.tensor.data())
                                  .add(space.data())
                                  .add(y.data())
                                  .add(activation_type(y.dtype()))
                                  .add(static_cast<std::uint32_t>(rows))
                                  .add(x.n)
                                  .add(weights.row_bytes)
                                  .add(vectors)
                                  .add(share)
                                  .add(share_of_rows)
                                  .add(choice ? grouped.data() : nullptr)
                                  .add(tiles)
                                  .add(choice ? choice->expert_bytes : std::int64_t{0});
  LaunchShape shape = grid(tiles, share_of_rows);
  set_block(shape, kg::block_threads, 0);
  launch(device(), kernel(most == 4 ? "columns_4" : "columns_8"), shape, arguments, stream);
}

}  // namespace kernelgen
