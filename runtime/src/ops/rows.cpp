#include "ops/rows.hpp"

#include <cmath>

#include "common/format.hpp"

#include "plan/row.hpp"

namespace kernelgen {
namespace {

/// Threads below which a GPU is underused, parts that saturate any GPU, and elements per GPU part.
constexpr std::int64_t few_threads = 1 << 16, busy_parts = 2048, gpu_part = 4096;

/// Minimum bytes in short rows that justify staging in shared memory.
constexpr std::int64_t tile_bytes = 2 << 20;

/// Whether a GPU reads rows in 16-byte packs: if rows are that long, and for long rows if only their result
/// is written.
bool in_packs(std::int64_t n, DType dtype, RowOperands operands) {
  const auto size = static_cast<unsigned>(size_of(dtype));
  const bool has_edges = kg::row_may_have_edges(size) && n >= kg::edged_row_elements;
  return n % (16 / size) == 0 || (has_edges && operands == RowOperands::result);
}

/// Whether the device's kernels of this dtype are compiled for compact code.
bool is_compact(const DeviceState& state, DType dtype) {
  return state.kind() == DeviceKind::hip && (dtype == DType::f64 || dtype == DType::f8e4m3);
}

/// Elements of such a row that a GPU thread holds in registers.
std::int64_t held_by_thread(const DeviceState& state, bool is_in_packs, DType dtype) {
  const bool is_small = is_compact(state, dtype);
  return is_in_packs ? kg::held_elements(dtype == DType::f64 ? 8 : 4, is_small) : kg::most_singles(is_small);
}

/// Threads per row: enough to hold the row in registers if a block can; more if there are too few rows for a
/// GPU, down to one access or that many elements per thread.
std::uint32_t group_of(const DeviceState& state, std::int64_t rows, std::int64_t n, DType dtype,
                       RowOperands operands) {
  const bool is_in_packs = in_packs(n, dtype, operands);
  const std::int64_t few =
      is_in_packs ? 16 / static_cast<std::int64_t>(size_of(dtype)) : std::int64_t{kg::few_singles};
  std::uint32_t group =
      power_of_two(quotient_up(n, held_by_thread(state, is_in_packs, dtype)), kg::row_threads);
  while (group < kg::row_threads && group * few < n && rows * group < few_threads) group *= 2;
  return group;
}

/// Rows a block stages in shared memory at a time, for many short rows that underfill accesses and do not fit
/// packs; else 0.
std::int64_t rows_of_tile(std::int64_t rows, std::int64_t n, DType dtype, RowOperands operands) {
  const auto size = static_cast<unsigned>(size_of(dtype));
  if (n > kg::row_tile_longest || operands == RowOperands::sums || in_packs(n, dtype, operands)) return 0;
  return rows * n * size >= tile_bytes ? kg::row_tile_elements(size) / n : 0;
}

}  // namespace

std::int64_t row_length(std::string_view operation, std::string_view called, const Tensor& x) {
  if (x.shape().empty()) invalid(formatted("{}: {} has rank 0; it needs a last dim", operation, called));
  return x.shape().back();
}

RowGrid row_grid(const Device& device, std::int64_t rows, std::int64_t n, DType dtype, RowOperands operands) {
  DeviceState& state = state_of(device);
  if (state.threads() > 0) return {element_grid(state, rows * n, 1), 1};
  if (const std::int64_t tile = rows_of_tile(rows, n, dtype, operands); tile > 0)
    return {block_grid(quotient_up(rows, tile)), 0};
  const std::uint32_t group = group_of(state, rows, n, dtype, operands);
  return {group > kg::block_threads ? block_grid(rows, group) : group_grid(rows, group), group};
}

std::int64_t row_part(const Device& device, std::int64_t rows, std::int64_t n, DType dtype,
                      RowOperands operands) {
  const DeviceState& state = state_of(device);
  const int threads = state.threads();
  const std::int64_t held = held_by_thread(state, in_packs(n, dtype, operands), dtype) * kg::row_threads;
  const std::int64_t least = threads > 0 ? 4 * cpu_grain : gpu_part;
  const std::int64_t parts = threads > 0 ? 2 * threads : busy_parts;
  // A GPU block reads a row of a few parts twice faster than a second launch starts.
  if (n <= (threads > 0 ? 2 * least : std::max(held, 4 * least)) || rows >= parts / 2 || threads == 1)
    return n;
  const std::int64_t part = quotient_up(quotient_up(n, quotient_up(parts, rows)), 64) * 64;
  return std::min(n, std::max(part, least));
}

Tensor row_states(const Device& device, std::int64_t parts, const Stream& stream) {
  return Tensor::empty(device, {parts * kg::row_state_bytes}, DType::u8, stream);
}

LaunchShape row_parts_grid(const Device& device, std::int64_t parts) {
  LaunchShape shape = block_grid(parts);
  if (state_of(device).threads() > 0) shape.block[0] = 1;
  return shape;
}

void check_weights(std::string_view operation, const Tensor& x, Inputs weights) {
  const std::int64_t n = x.shape().back();
  for (const Tensor* weight : weights) {
    if (weight->dtype() != x.dtype())
      invalid(formatted("{}: x is {}, weight or bias {}; they must have one dtype", operation,
                        name_of(x.dtype()), name_of(weight->dtype())));
    if (!(weight->shape() == Shape{n}))
      invalid(formatted("{}: x is {}, weight or bias {}; they must be [{}]", operation, x.shape().to_string(),
                        weight->shape().to_string(), n));
  }
}

void check_eps(std::string_view operation, const Tensor& x, double eps) {
  // eps is converted to f32, except for f64.
  const bool is_finite = std::isfinite(x.dtype() == DType::f64 ? eps : static_cast<float>(eps));
  if (!is_finite || eps < 0)
    invalid(formatted("{}: eps is {}; it has to be finite, for {} too, and not negative", operation, eps,
                      name_of(x.dtype())));
}

}  // namespace kernelgen
