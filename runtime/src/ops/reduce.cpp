#include "common/format.hpp"

#include <algorithm>
#include <limits>

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "plan/reduce.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

/// Blocks that saturate any GPU, and minimum elements per block: for contiguous and for strided elements.
constexpr std::int64_t busy_blocks = 1024, gpu_grain = 8 * 1024, gpu_single_grain = 2 * 1024;
/// Below this many blocks, a GPU's memory bandwidth is underused.
constexpr std::int64_t few_blocks = 64;
/// Threads that saturate any GPU.
constexpr std::int64_t busy_threads = busy_blocks * 64;
/// Fewer elements than this underuse a block.
constexpr std::int64_t short_task = 2048;
/// Row lengths, and the number of such rows, at which CPU vectors take one row per lane: the shorter limit
/// applies to kernels that transpose rows.
constexpr std::int64_t short_row = 24, shorter_row = 8, many_short_rows = 64;
bool has_index_too(Builtin op) { return op == Builtin::min_with_index || op == Builtin::max_with_index; }
bool finds_index(Builtin op) { return op == Builtin::argmin || op == Builtin::argmax || has_index_too(op); }

kg::StateKind state_kind(Builtin op) {
  if (finds_index(op)) return kg::StateKind::place;
  if (op == Builtin::any || op == Builtin::all) return kg::StateKind::truth;
  return op == Builtin::min || op == Builtin::max ? kg::StateKind::extreme : kg::StateKind::sum;
}

/// A view split into the dims that stay and those that are reduced.
struct Plan {
  Shape result;    ///< as returned to the caller
  Shape strides;   ///< strides of the result's dims in the reduced dims
  Layout kept;     ///< offset 0
  Layout reduced;  ///< offset 0

  /// Elements of each output; 0 where there is no output.
  std::int64_t count() const { return kept.elements() == 0 ? 0 : reduced.elements(); }
};

Plan plan_of(std::string_view name, const Layout& layout, Axes dims, bool keep_dims) {
  std::array<bool, max_rank> reduces{};
  for (const std::int64_t dim : dims) {
    const std::size_t at = normalize_dim(name, dim, layout.rank());
    if (reduces[at])
      invalid(formatted("{}: dim {} of shape {} is given twice", name, dim, layout.shape.to_string()));
    reduces[at] = true;
  }
  Plan plan;
  for (std::size_t d = 0; d < layout.rank(); ++d) {
    Layout& part = reduces[d] ? plan.reduced : plan.kept;
    part.shape.push_back(layout.shape[d]);
    part.strides.push_back(layout.strides[d]);
    if (reduces[d] && !keep_dims) continue;
    plan.result.push_back(reduces[d] ? 1 : layout.shape[d]);
    plan.strides.push_back(reduces[d] ? 0 : layout.strides[d]);
  }
  return plan;
}

/// Sorts dims so that the smallest strides are innermost. Element order is free if no index is returned.
void sort_by_stride(Layout& layout) {
  for (std::size_t i = 1; i < layout.rank(); ++i)
    for (std::size_t d = i; d > 0 && std::abs(layout.strides[d]) > std::abs(layout.strides[d - 1]); --d) {
      std::swap(layout.strides[d], layout.strides[d - 1]);
      std::swap(layout.shape[d], layout.shape[d - 1]);
    }
}

/// One reduction with validated shapes.
struct Reduction {
  const Operation& operation;
  const Tensor& x;
  const Tensor& out;
  const Tensor* places;  ///< null if the operation has one result
  const Stream& stream;
  Iteration<1> kept, reduced;
  std::int64_t count;
  kg::StateKind kind;

  std::int64_t state_bytes() const {
    return kg::state_bytes(kind, static_cast<unsigned>(size_of(x.dtype())), is_float(x.dtype()));
  }
  DeviceState& device() const { return state_of(out.device()); }
  bool on_cpu() const { return device().threads() > 0; }
  std::uint32_t kernel(std::string_view form) const {
    const DType type = x.dtype();
    return operation.kernel({&type, 1}, operation.form(form));
  }
  /// A launch of `blocks` blocks; on a GPU up to `threads` threads of each have work.
  LaunchShape shape(std::int64_t blocks, std::int64_t threads) const {
    if (!on_cpu()) return block_grid(blocks, block_of(threads));
    const std::int64_t most = element_grid(device(), kept.elements() * count, 1).grid[0];
    return block_grid(std::min(blocks, most), 1);
  }
  /// Number of splits per output, for `blocks` blocks without splitting and outputs of `elements` elements.
  std::uint32_t splits(std::int64_t blocks, std::int64_t elements, std::int64_t grain) const {
    const std::int64_t busy = on_cpu() ? device().threads() * 2 : busy_blocks;
    // The second launch costs a GPU more than a block needs for a few grains.
    if (!on_cpu() && elements < 4 * grain) return 1;
    // Once a second launch is needed, blocks of half a grain use more of the device.
    const std::int64_t least = on_cpu() ? grain : std::max<std::int64_t>(1, grain / 2);
    const std::int64_t wanted = std::min(quotient_up(busy, blocks), elements / least);
    return static_cast<std::uint32_t>(std::max<std::int64_t>(1, wanted));
  }
  /// Adds the addresses of the results from output `first` on.
  Arguments& add_results(Arguments& arguments, std::int64_t first) const {
    arguments.add(element_address(out, first));
    return places ? arguments.add(element_address(*places, first)) : arguments;
  }
  void run() const;
};

void Reduction::run() const {
  // A few short columns do not fill a GPU block: one thread or a small group takes each column.
  const bool short_columns = !on_cpu() && (Checked(kept.extent[0]) * count).value_or(short_task) < short_task;
  // A CPU processes many short rows as columns.
  const bool is_transposed =
      is_float(x.dtype()) && (kind == kg::StateKind::sum || kind == kg::StateKind::extreme);
  const bool short_rows =
      on_cpu() && count <= (is_transposed ? shorter_row : short_row) && kept.extent[0] >= many_short_rows;
  const bool columns = short_rows || (kept.stride[0][0] == 1 && kept.extent[0] > 1 &&
                                      reduced.stride[0][0] != 1 && !short_columns);
  const auto size = static_cast<std::int64_t>(size_of(x.dtype()));
  // Eight accesses of 16 bytes per thread keep most groups within one wave, which needs no barrier. Single
  // elements also take eight if outputs alone do not saturate a GPU.
  const bool neighbours = reduced.rank == 1 && reduced.stride[0][0] == 1;
  const std::uint32_t by_packs = power_of_two(count / (128 / size), kg::block_threads);
  const std::uint32_t by_elements =
      power_of_two(std::min(count / 8, busy_threads / kept.elements()), kg::block_threads);
  // With few elements, each thread of a wave takes one, so that their loads are in flight together.
  const std::uint32_t by_wave = power_of_two(std::min(count, busy_threads / kept.elements()), 32);
  const std::uint32_t group = std::max({by_packs, by_wave, neighbours ? 1 : by_elements});
  const std::int64_t pack =
      kg::column_pack(static_cast<unsigned>(size), static_cast<unsigned>(state_bytes()));
  // Threads of a block split a few long rows along columns, and many rows along rows as well.
  const std::uint32_t beside =
      std::max<std::uint32_t>(32, kg::block_threads / power_of_two(quotient_up(count, 8), 8));
  std::uint32_t across = power_of_two(quotient_up(kept.extent[0], pack), beside);
  // Few blocks that are not worth splitting take part of an access each, which yields more blocks.
  const auto has_few_blocks = [&] {
    return quotient_up(kept.extent[0], across * pack) * (kept.elements() / kept.extent[0]) < few_blocks &&
           count < 4 * (gpu_grain / (across * pack) * 2);
  };
  while (across > 1 && has_few_blocks() && count * across > kg::block_threads * 8) across /= 2;
  const std::int64_t tile = on_cpu() ? std::int64_t{kg::cpu_lanes} : across * pack;
  const std::int64_t outputs = kept.elements();
  const std::int64_t outputs_per_block = columns    ? tile
                                         : on_cpu() ? std::max<std::int64_t>(1, 1024 / count)
                                                    : kg::block_threads / group;
  const std::int64_t blocks = columns ? quotient_up(kept.extent[0], tile) * (outputs / kept.extent[0])
                                      : quotient_up(outputs, outputs_per_block);
  const std::int64_t grain = on_cpu()     ? cpu_grain / (columns ? std::min(tile, kept.extent[0]) : 1)
                             : columns    ? gpu_grain / tile * 2
                             : neighbours ? gpu_grain
                                          : gpu_single_grain;
  const std::uint32_t splits = this->splits(blocks, count, std::max<std::int64_t>(grain, 1));
  // More threads along a column than rows in flight per iteration are useless.
  constexpr std::int64_t rows_at_once = 4;
  const std::int64_t busy =
      columns ? across * power_of_two(quotient_up(count, splits * rows_at_once), kg::block_threads)
              : std::min(outputs, outputs_per_block) * group;
  // Elements beyond one launch's range become separate parts.
  std::int64_t pieces = 0;
  reduced.for_each_piece([&](const auto&, const auto&, std::int64_t) { ++pieces; });
  const Checked all_parts = Checked(pieces) * splits, bytes = all_parts * outputs * state_bytes();
  if (all_parts.value_or(-1) != static_cast<std::uint32_t>(all_parts.value_or(0)) || !bytes.fits())
    invalid(formatted("{}: {} elements for each of {} results are more than it takes", operation.name(),
                      count, outputs));
  const auto parts = static_cast<std::uint32_t>(all_parts.value_or(0));

  Tensor states;
  if (parts > 1) states = Tensor::empty(out.device(), {bytes.value_or(0)}, DType::u8, stream);
  const std::uint32_t reduce = kernel(columns ? "columns" : "rows");
  kept.for_each_piece([&](const kg::Strided<1>& kept_piece, const auto& kept_offset, std::int64_t output) {
    std::uint32_t first = 0;
    reduced.for_each_piece([&](const kg::Strided<1>& reduced_piece, const auto& reduced_offset,
                               std::int64_t index) {
      Arguments arguments;
      arguments.add(element_address(x, kept_offset[0] + reduced_offset[0]));
      add_results(arguments, output)
          .add(parts > 1 ? static_cast<std::byte*>(states.data()) + output * parts * state_bytes() : nullptr)
          .add(kept_piece)
          .add(reduced_piece)
          .add(count)
          .add(columns ? across : group)
          .add(splits)
          .add(first)
          .add(parts)
          .add(static_cast<std::uint32_t>(index));
      launch(out.device(), reduce, shape(blocks * splits, busy), arguments, stream);
      first += splits;
    });
  });
  if (parts == 1) return;
  const std::uint32_t states_group = power_of_two(parts / 4, kg::block_threads);
  Arguments arguments;
  arguments.add(states.data());
  add_results(arguments, 0).add(outputs).add(parts).add(count).add(states_group);
  const std::int64_t rows = on_cpu() ? 256 : kg::block_threads / states_group;
  launch(out.device(), kernel("combine"),
         shape(quotient_up(outputs, rows), std::min(outputs, rows) * states_group), arguments, stream);
}

/// Sets the result of reducing zero elements.
void set_to_empty(Builtin op, const Tensor& out, const Stream& stream) {
  if (op == Builtin::mean && is_float(out.dtype()))
    const_set(out, std::numeric_limits<double>::quiet_NaN(), stream);
  else
    const_set(out, op == Builtin::prod || op == Builtin::all ? 1 : 0, stream);
}

/// Validates the call and returns how x is reduced.
Plan checked_plan(Builtin op, std::string_view name, const Tensor& x, Axes dims, bool keep_dims) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  Plan plan = plan_of(name, x.layout(), dims, keep_dims);
  const std::int64_t count = plan.count();
  const bool needs_elements = op == Builtin::min || op == Builtin::max || finds_index(op);
  if (count == 0 && plan.kept.elements() > 0 && needs_elements)
    invalid(
        formatted("{}: shape {} has no element to reduce along the given dims", name, x.shape().to_string()));
  if (finds_index(op) && count > std::numeric_limits<std::uint32_t>::max())
    invalid(formatted("{}: {} elements along what shape {} is reduced by; an index of u32 counts 4294967295",
                      name, count, x.shape().to_string()));
  // Element order matters if an index is returned.
  if (!finds_index(op)) sort_by_stride(plan.reduced);
  return plan;
}

/// Each output reduces at least one element. `places` is null if the operation has one result.
void run(const Operation& operation, Builtin op, const Tensor& x, const Plan& plan, const Tensor& out,
         const Tensor* places, const Stream& stream) {
  Reduction{operation,
            x,
            out,
            places,
            stream,
            Iteration<1>(plan.kept.shape, {&plan.kept}),
            Iteration<1>(plan.reduced.shape, {&plan.reduced}),
            plan.count(),
            state_kind(op)}
      .run();
}

Tensor reduce(Builtin op, std::string_view name, const Tensor& x, Axes dims, bool keep_dims,
              const CallOptions& options) {
  const Plan plan = checked_plan(op, name, x, dims, keep_dims);
  const Operation operation = Operation::builtin(x.device(), op);
  const bool truth = op == Builtin::any || op == Builtin::all;
  const DType type = finds_index(op) ? DType::u32 : truth ? DType::u8 : x.dtype();
  const Tensor* const input = &x;
  const Tensor out = output(name, x.device(), plan.result, type, options, {&input, 1});
  if (out.elements() == 0) return out;
  if (plan.count() == 0)
    set_to_empty(op, out, options.stream);
  else if (plan.count() == 1 && finds_index(op))
    const_set(out, 0, options.stream);
  else if (plan.count() == 1 && !truth)
    copy_into(out, x.with_layout({plan.result, plan.strides, x.layout().offset}), options.stream);
  else
    run(operation, op, x, plan, out, nullptr, options.stream);
  return out;
}

/// The dims `dim` selects: itself, or all of x's.
Dims dims_of(const Tensor& x, std::optional<std::int64_t> dim) {
  if (dim) return {*dim};
  Dims all;
  const std::size_t rank = x ? x.shape().size() : 0;
  for (std::size_t d = 0; d < rank; ++d) all.push_back(static_cast<std::int64_t>(d));
  return all;
}

Tensor reduce_to_index(Builtin op, std::string_view name, const Tensor& x, std::optional<std::int64_t> dim,
                       bool keep_dims, const CallOptions& options) {
  const Dims dims = dims_of(x, dim);
  return reduce(op, name, x, {dims.data(), dims.size()}, keep_dims, options);
}

Indexed reduce_with_index(Builtin op, std::string_view name, const Tensor& x, std::optional<std::int64_t> dim,
                          bool keep_dims, const IndexedOptions& options) {
  const Dims dims = dims_of(x, dim);
  const Plan plan = checked_plan(op, name, x, {dims.data(), dims.size()}, keep_dims);
  const Operation operation = Operation::builtin(x.device(), op);
  const Indexed results = outputs(name, x, plan.result, options);
  if (results.values.elements() > 0)
    run(operation, op, x, plan, results.values, &results.indices, options.stream);
  return results;
}

}  // namespace

#define KERNELGEN_DEFINE(op)                                                          \
  Tensor op(const Tensor& x, Axes dims, bool keep_dims, const CallOptions& options) { \
    return reduce(Builtin::op, #op, x, dims, keep_dims, options);                     \
  }
KERNELGEN_REDUCE_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE
#define KERNELGEN_DEFINE(op)                                                                                \
  Tensor op(const Tensor& x, std::optional<std::int64_t> dim, bool keep_dims, const CallOptions& options) { \
    return reduce_to_index(Builtin::op, #op, x, dim, keep_dims, options);                                   \
  }
KERNELGEN_ARG_REDUCE_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE
#define KERNELGEN_DEFINE(op)                                                   \
  Indexed op(const Tensor& x, std::optional<std::int64_t> dim, bool keep_dims, \
             const IndexedOptions& options) {                                  \
    return reduce_with_index(Builtin::op, #op, x, dim, keep_dims, options);    \
  }
KERNELGEN_WITH_INDEX_OPERATIONS(KERNELGEN_DEFINE)
#undef KERNELGEN_DEFINE

}  // namespace kernelgen
