#include "common/format.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "device/device_state.hpp"
#include "ops/grid.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "plan/sort.hpp"

namespace kernelgen {
namespace {

/// A row this long is worth the threads of a CPU.
constexpr std::int64_t shared_row = 64 * 1024;
/// Blocks that keep a large GPU busy.
constexpr std::int64_t busy_blocks = 1024;
/// Elements sorted at once where many blocks share a row: what bounds the memory for it.
constexpr std::int64_t radix_batch = std::int64_t{1} << 25;

std::int64_t quotient_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The sorting of contiguous rows with at least one element.
struct Sorting {
  const Tensor& x;
  const Tensor& places;
  const Tensor* values;  ///< null where none are wanted
  bool ascending;
  const Stream& stream;
  std::int64_t n, rows;

  Sorting(const Tensor& x, const Tensor& places, const Tensor* values, bool ascending, const Stream& stream)
      : x(x),
        places(places),
        values(values),
        ascending(ascending),
        stream(stream),
        n(x.shape().back()),
        rows(x.elements() / n) {}

  const Device& device() const { return x.device(); }
  int threads() const { return state_of(device()).threads(); }
  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_of(x.dtype())); }
  std::uint32_t length() const { return static_cast<std::uint32_t>(n); }
  std::uint32_t descending() const { return ascending ? 0 : 1; }

  void launch(Builtin op, std::string_view form, std::int64_t blocks, const Arguments& arguments) const {
    const Operation operation = Operation::builtin(device(), op);
    const DType type = x.dtype();
    LaunchShape shape;
    const std::int64_t most = threads() > 0 ? threads() * 4 : 0x7fffffff;
    shape.grid[0] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, most));
    if (threads() == 0) shape.block[0] = kg::block_threads;
    kernelgen::launch(device(), operation.kernel({&type, 1}, operation.form(form)), shape, arguments, stream);
  }
  Tensor workspace(std::int64_t bytes) const { return Tensor::empty(device(), {bytes}, DType::u8, stream); }

  void run() const {
    const bool alone = threads() > 0 ? n < shared_row || rows >= threads()
                                     : n <= kg::block_row_limit(static_cast<unsigned>(element_bytes()));
    if (alone) {
      sort_rows();
      return;
    }
    const std::int64_t batch = std::clamp<std::int64_t>(radix_batch / n, 1, rows);
    const Radix radix(*this, batch);
    for (std::int64_t row = 0; row < rows; row += batch) radix.run(*this, row, std::min(batch, rows - row));
  }

  /// A block has its rows to itself.
  void sort_rows() const {
    std::int64_t rows_each = 1, blocks = 0;
    Tensor space;
    if (threads() > 0) {
      const std::int64_t worth = quotient_up(rows * n, cpu_grain / 4);
      const std::int64_t most = threads() == 1 || n >= shared_row ? threads() : threads() * 4;
      blocks = std::min({rows, worth, most});
      const auto bytes = static_cast<unsigned>(element_bytes());
      if (n > kg::ranked_row_limit(bytes)) space = workspace(blocks * 2 * n * kg::entry_bytes(bytes));
    } else {
      // Eight entries a thread where that leaves blocks for a large GPU.
      const std::uint32_t most =
          std::min(kg::block_row_limit(static_cast<unsigned>(element_bytes())), 8 * kg::block_threads) /
          std::bit_ceil(length());
      rows_each = std::clamp<std::int64_t>(rows / busy_blocks, 1, std::max(most, 1u));
      blocks = quotient_up(rows, rows_each);
    }
    launch(Builtin::arg_sort, "rows", blocks,
           Arguments()
               .add(x.data())
               .add(places.data())
               .add(values ? values->data() : nullptr)
               .add(space ? space.data() : nullptr)
               .add(rows)
               .add(length())
               .add(static_cast<std::uint32_t>(rows_each))
               .add(descending()));
  }

  /// Many blocks share each of up to `rows` rows: their keys, in two turns; places; counted digits.
  struct Radix {
    std::uint32_t tile;
    std::int64_t tiles;
    Tensor keys, next_keys, places, counts, totals;

    Radix(const Sorting& sorting, std::int64_t rows) {
      const std::int64_t elements = rows * sorting.n, bytes = sorting.element_bytes();
      // Twice as many tiles as threads, so that one that falls behind hands work to the others.
      tile = sorting.threads() == 0
                 ? kg::radix_tile(static_cast<unsigned>(bytes))
                 : static_cast<std::uint32_t>(
                       std::max(shared_row / 4, quotient_up(sorting.n, std::int64_t{sorting.threads()} * 2)));
      tiles = quotient_up(sorting.n, tile);
      keys = sorting.workspace(elements * bytes);
      if (bytes > 1) {
        next_keys = sorting.workspace(elements * bytes);
        places = sorting.workspace(elements * 4);
      }
      counts = sorting.workspace(rows * kg::digits * tiles * 4);
      totals = sorting.workspace(rows * kg::digits * 4);
    }

    void run(const Sorting& sorting, std::int64_t row, std::int64_t rows) const {
      const std::int64_t first = row * sorting.n, elements = rows * sorting.n;
      const std::uint32_t n = sorting.length();
      const LaunchShape each = element_grid(state_of(sorting.device()), elements, 4);
      sorting.launch(Builtin::arg_sort, "keys", each.grid[0],
                     Arguments()
                         .add(element_address(sorting.x, first))
                         .add(keys.data())
                         .add(elements)
                         .add(sorting.descending()));

      // Places end in the result: they start from the side that is as many turns away.
      const auto passes = static_cast<std::uint32_t>(sorting.element_bytes());
      void* from_keys = keys.data();
      void* to_keys = passes > 1 ? next_keys.data() : nullptr;
      void* const result = element_address(sorting.places, first);
      const std::uint32_t group =
          std::min(kg::block_threads, std::bit_ceil(static_cast<std::uint32_t>(tiles)));
      const void* from_places = nullptr;
      for (std::uint32_t pass = 0; pass < passes; ++pass) {
        const bool last = pass + 1 == passes;
        void* const to_places = (passes - pass) % 2 == 1 ? result : places.data();
        const std::uint32_t shift = pass * kg::digit_bits;
        sorting.launch(Builtin::sort, "count", rows * tiles,
                       Arguments().add(from_keys).add(counts.data()).add(rows).add(n).add(tile).add(shift));
        sorting.launch(Builtin::sort, "sum", rows * kg::digits / (kg::block_threads / group),
                       Arguments()
                           .add(counts.data())
                           .add(totals.data())
                           .add(rows)
                           .add(static_cast<std::uint32_t>(tiles))
                           .add(group));
        sorting.launch(Builtin::sort, "move", rows * tiles,
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
      if (sorting.values)
        sorting.launch(Builtin::sort, "take", rows * tiles,
                       Arguments()
                           .add(element_address(sorting.x, first))
                           .add(result)
                           .add(element_address(*sorting.values, first))
                           .add(rows)
                           .add(n)
                           .add(tile));
    }
  };
};

void check(std::string_view name, const Tensor& x) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  if (x.shape().empty()) invalid(formatted("{}: x has rank 0; it needs a last dim", name));
  if (x.shape().back() > std::numeric_limits<std::uint32_t>::max())
    invalid(formatted("{}: x is {}; an index of u32 counts 4294967295 elements along the last dim", name,
                      x.shape().to_string()));
}

void run(const Tensor& x, const Tensor& places, const Tensor* values, bool ascending, const Stream& stream) {
  if (x.elements() == 0) return;
  const Tensor rows = make_contiguous(x, stream);
  Sorting(rows, places, values, ascending, stream).run();
}

}  // namespace

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
  const Tensor* const input = &x;
  Sorted sorted;
  sorted.values =
      output(name, x.device(), x.shape(), x.dtype(), {options.stream, options.values}, {&input, 1});
  const Tensor* const taken[] = {&x, &sorted.values};
  sorted.indices = output(name, x.device(), x.shape(), DType::u32, {options.stream, options.indices}, taken);
  run(x, sorted.indices, &sorted.values, ascending, options.stream);
  return sorted;
}

}  // namespace kernelgen
