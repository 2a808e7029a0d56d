#include "common/format.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/output.hpp"
#include "ops/sorting.hpp"

namespace kernelgen {
namespace {

/// Blocks that saturate a large GPU.
constexpr std::int64_t busy_blocks = 1024;
/// Elements sorted at once if many blocks share a row; bounds the workspace.
constexpr std::int64_t radix_batch = std::int64_t{1} << 25;

/// Address of element `first`, or null for an absent tensor.
std::byte* address_of(const Tensor* tensor, std::int64_t first) {
  return tensor ? element_address(*tensor, first) : nullptr;
}

/// Buffers for up to `rows` rows, each shared by many blocks: double-buffered keys, indices and digit
/// histograms.
struct Radix {
  std::uint32_t tile;
  std::int64_t tiles;
  Tensor keys, next_keys, places, counts, totals;

  Radix(const Rows& sorted, std::int64_t rows) {
    const std::int64_t elements = rows * sorted.n, bytes = sorted.element_bytes();
    // Twice as many tiles as threads balances the load.
    tile = sorted.threads() == 0
               ? kg::radix_tile(static_cast<unsigned>(bytes))
               : static_cast<std::uint32_t>(
                     std::max(shared_row / 4, quotient_up(sorted.n, std::int64_t{sorted.threads()} * 2)));
    tiles = quotient_up(sorted.n, tile);
    keys = sorted.workspace(elements * bytes);
    if (bytes > 1) {
      next_keys = sorted.workspace(elements * bytes);
      places = sorted.workspace(elements * 4);
    }
    counts = sorted.workspace(rows * kg::digits * tiles * 4);
    totals = sorted.workspace(rows * kg::digits * 4);
  }

  void run(const Rows& sorted, const Sorting& sorting, std::int64_t row, std::int64_t rows) const {
    const std::int64_t first = row * sorted.n, elements = rows * sorted.n;
    const std::uint32_t n = sorted.length();
    const LaunchShape each = element_grid(state_of(sorted.device()), elements, 4);
    sorted.launch(Builtin::arg_sort, "keys", each.grid[0],
                  Arguments()
                      .add(element_address(sorted.x, first))
                      .add(keys.data())
                      .add(elements)
                      .add(static_cast<std::uint32_t>(sorting.order)));

    // Indices must end in the result: the starting buffer follows from the parity of the number of passes.
    const auto passes = static_cast<std::uint32_t>(sorted.element_bytes());
    void* from_keys = keys.data();
    void* to_keys = passes > 1 ? next_keys.data() : nullptr;
    void* const result = element_address(sorting.places, first);
    const std::uint32_t group = std::min(kg::block_threads, std::bit_ceil(static_cast<std::uint32_t>(tiles)));
    const void* from_places = address_of(sorting.came_from, first);
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      const bool last = pass + 1 == passes;
      void* const to_places = (passes - pass) % 2 == 1 ? result : places.data();
      const std::uint32_t shift = pass * kg::digit_bits;
      sorted.launch(Builtin::sort, "count", rows * tiles,
                    Arguments().add(from_keys).add(counts.data()).add(rows).add(n).add(tile).add(shift));
      sorted.launch(Builtin::sort, "sum", rows * kg::digits / (kg::block_threads / group),
                    Arguments()
                        .add(counts.data())
                        .add(totals.data())
                        .add(rows)
                        .add(static_cast<std::uint32_t>(tiles))
                        .add(group));
      sorted.launch(Builtin::sort, "move", rows * tiles,
                    Arguments()
                        .add(from_keys)
                        .add(from_places)
                        .add(last ? nullptr : to_keys)
                        .add(to_places)
                        .add(counts.data())
                        .add(totals.data())
                        .add(rows)
                        .add(n)
                        .add(tile)
                        .add(shift));
      std::swap(from_keys, to_keys);
      from_places = to_places;
    }
    if (!sorting.values) return;
    const Tensor& source = sorting.source ? *sorting.source : sorted.x;
    const std::int64_t length = source.shape().back();
    sorted.launch(Builtin::sort, "take", rows * tiles,
                  Arguments()
                      .add(element_address(source, row * length))
                      .add(result)
                      .add(element_address(*sorting.values, first))
                      .add(rows)
                      .add(length)
                      .add(n)
                      .add(tile));
  }
};

void check(std::string_view name, const Tensor& x) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  if (x.shape().empty()) invalid(formatted("{}: x has rank 0; it needs a last dim", name));
  check_countable(name, x, x.shape().size() - 1);
}

void run(const Tensor& x, const Tensor& places, const Tensor* values, bool ascending, const Stream& stream) {
  if (x.elements() == 0) return;
  const Tensor rows = make_contiguous(x, stream);
  sort_all(Rows(rows, stream), {ascending ? kg::Order::ascending : kg::Order::descending, places, values});
}

}  // namespace

int Rows::threads() const { return state_of(device()).threads(); }

void Rows::launch(Builtin op, std::string_view form, std::int64_t blocks, const Arguments& arguments) const {
  const Operation operation = Operation::builtin(device(), op);
  const DType type = x.dtype();
  LaunchShape shape;
  const std::int64_t most = threads() > 0 ? threads() * 4 : 0x7fffffff;
  shape.grid[0] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, most));
  if (threads() == 0) shape.block[0] = kg::block_threads;
  kernelgen::launch(device(), operation.kernel({&type, 1}, operation.form(form)), shape, arguments, stream);
}

bool is_sorted_alone(const Rows& rows) {
  return rows.threads() > 0 ? rows.n < shared_row || rows.count >= rows.threads()
                            : rows.n <= kg::block_row_limit(static_cast<unsigned>(rows.element_bytes()));
}

void sort_alone(const Rows& rows, const Sorting& sorting, std::int64_t kept) {
  const std::int64_t n = rows.n, count = rows.count;
  const int threads = rows.threads();
  const auto bytes = static_cast<unsigned>(rows.element_bytes());
  std::int64_t rows_each = 1, blocks = 0;
  Tensor space;
  if (threads > 0) {
    const std::int64_t worth = quotient_up(count * n, cpu_grain / 4);
    const std::int64_t most = threads == 1 || n >= shared_row ? threads : threads * 4;
    blocks = std::min({count, worth, most});
    if (n > kg::ranked_row_limit(bytes)) {
      const auto room = static_cast<std::int64_t>(kg::entry_room(rows.length(), static_cast<unsigned>(kept)));
      space = rows.workspace(blocks * 2 * room * kg::entry_bytes(bytes));
    }
  } else {
    // Eight entries per thread if that leaves enough blocks for a large GPU.
    const std::uint32_t most =
        std::min(kg::block_row_limit(bytes), 8 * kg::block_threads) / std::bit_ceil(rows.length());
    rows_each = std::clamp<std::int64_t>(count / busy_blocks, 1, std::max(most, 1u));
    blocks = quotient_up(count, rows_each);
  }
  rows.launch(Builtin::arg_sort, "rows", blocks,
              Arguments()
                  .add(rows.x.data())
                  .add(address_of(sorting.came_from, 0))
                  .add(sorting.places.data())
                  .add(address_of(sorting.values, 0))
                  .add(space ? space.data() : nullptr)
                  .add(count)
                  .add(rows.length())
                  .add(static_cast<std::uint32_t>(kept))
                  .add(static_cast<std::uint32_t>(rows_each))
                  .add(static_cast<std::uint32_t>(sorting.order)));
}

void sort_all(const Rows& rows, const Sorting& sorting) {
  if (is_sorted_alone(rows)) {
    sort_alone(rows, sorting, rows.n);
    return;
  }
  const std::int64_t batch = std::clamp<std::int64_t>(radix_batch / rows.n, 1, rows.count);
  const Radix radix(rows, batch);
  for (std::int64_t row = 0; row < rows.count; row += batch)
    radix.run(rows, sorting, row, std::min(batch, rows.count - row));
}

void check_countable(std::string_view operation, const Tensor& x, std::size_t dim) {
  if (x.shape()[dim] > std::numeric_limits<std::uint32_t>::max())
    invalid(formatted("{}: x is {}; an index of u32 counts 4294967295 elements along dim {}", operation,
                      x.shape().to_string(), dim));
}

Tensor arg_sort(const Tensor& x, bool ascending, const CallOptions& options) {
  constexpr std::string_view name = "arg_sort";
  check(name, x);
  const Tensor* const input = &x;
  const Tensor places = output(name, x.device(), x.shape(), DType::u32, options, {&input, 1});
  run(x, places, nullptr, ascending, options.stream);
  return places;
}

Sorted sort(const Tensor& x, bool ascending, const SortOptions& options) {
  constexpr std::string_view name = "sort";
  check(name, x);
  const Sorted sorted = outputs(name, x, x.shape(), options);
  run(x, sorted.indices, &sorted.values, ascending, options.stream);
  return sorted;
}

}  // namespace kernelgen
