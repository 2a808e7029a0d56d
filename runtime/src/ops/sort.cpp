#include "common/format.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "common/quotient.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/output.hpp"
#include "ops/sorting.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

/// Address of element `first`, or null for an absent tensor.
std::byte* address_of(const Tensor* tensor, std::int64_t first) {
  return tensor ? element_address(*tensor, first) : nullptr;
}

/// Buffers for a batch of rows, each shared by many blocks.
struct Radix {
  RadixPlan plan;
  std::int64_t passes;
  Tensor keys, next_keys, indices;  ///< double buffers with the result's indices
  /// u32: counters of tiles, one per pass; counts of each row's digits in each pass; the tiles' words of the first pass. All are 0 before.
  Tensor cleared;
  Tensor next_words;  ///< of the second pass; passes take turns with the words of the first

  explicit Radix(const Rows& sorted)
      : plan(plan_radix_sort(sorted.problem(), sorted.traits())), passes(sorted.problem().element_bytes) {
    const std::int64_t elements = plan.batch * sorted.n;
    keys = sorted.workspace(elements * passes);
    cleared =
        Tensor::empty(sorted.device(), {words_at(plan.batch) + words(plan.batch)}, DType::u32, sorted.stream);
    if (passes == 1) return;
    next_keys = sorted.workspace(elements * passes);
    indices = sorted.workspace(elements * 4);
    next_words = sorted.workspace(words(plan.batch) * 4);
  }

  std::int64_t words(std::int64_t rows) const { return rows * plan.tiles * kg::digits; }
  std::int64_t words_at(std::int64_t rows) const { return passes + rows * passes * kg::digits; }

  void run(const Rows& sorted, const Sorting& sorting, std::int64_t row, std::int64_t rows) const {
    const std::int64_t first = row * sorted.n;
    const std::uint32_t n = sorted.length();
    const_set(cleared.narrow(0, 0, words_at(rows) + words(rows)), 0, sorted.stream);
    const void* const counts = element_address(cleared, passes);
    sorted.launch(Builtin::arg_sort, "keys", rows * quotient_up<std::int64_t>(sorted.n, plan.counted_tile),
                  Arguments()
                      .add(element_address(sorted.x, first))
                      .add(keys.data())
                      .add(counts)
                      .add(rows)
                      .add(n)
                      .add(plan.counted_tile)
                      .add(static_cast<std::uint32_t>(sorting.order)));

    // Indices must end in the result: the starting buffer follows from the parity of the number of passes.
    void* from_keys = keys.data();
    void* to_keys = passes > 1 ? next_keys.data() : nullptr;
    void* own_words = element_address(cleared, words_at(rows));
    void* other_words = passes > 1 ? next_words.data() : nullptr;
    void* const result = element_address(sorting.indices, first);
    const void* from_indices = address_of(sorting.came_from, first);
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      const bool is_last = pass + 1 == passes;
      void* const to_indices = (passes - pass) % 2 == 1 ? result : indices.data();
      sorted.launch(Builtin::sort, "move", rows * plan.tiles,
                    Arguments()
                        .add(from_keys)
                        .add(from_indices)
                        .add(is_last ? nullptr : to_keys)
                        .add(to_indices)
                        .add(counts)
                        .add(own_words)
                        .add(is_last ? nullptr : other_words)
                        .add(element_address(cleared, pass))
                        .add(rows)
                        .add(n)
                        .add(plan.tile)
                        .add(static_cast<std::uint32_t>(pass)));
      std::swap(from_keys, to_keys);
      std::swap(own_words, other_words);
      from_indices = to_indices;
    }
    if (!sorting.values) return;
    const Tensor& source = sorting.source ? *sorting.source : sorted.x;
    const std::int64_t length = source.shape().back();
    sorted.launch(Builtin::sort, "take", rows * plan.tiles,
                  Arguments()
                      .add(element_address(source, row * length))
                      .add(result)
                      .add(element_address(*sorting.values, first))
                      .add(rows)
                      .add(length)
                      .add(n)
                      .add(plan.tile));
  }
};

void check(std::string_view name, const Tensor& x) {
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  if (x.shape().empty()) invalid(formatted("{}: x has rank 0; it needs a last dim", name));
  check_countable(name, x, x.shape().size() - 1);
  check_sortable(name, x.shape().back());
}

void run(const Tensor& x, const Tensor& indices, const Tensor* values, bool ascending, const Stream& stream) {
  if (x.elements() == 0) return;
  const Tensor rows = make_contiguous(x, stream);
  sort_all(Rows(rows, stream), {ascending ? kg::Order::ascending : kg::Order::descending, indices, values});
}

}  // namespace

void Rows::launch(Builtin op, std::string_view form, const LaunchShape& shape,
                  const Arguments& arguments) const {
  const Operation operation = Operation::builtin(device(), op);
  const DType type = x.dtype();
  kernelgen::launch(device(), operation.kernel({&type, 1}, operation.form(form)), shape, arguments, stream);
}

void sort_alone(const Rows& rows, const Sorting& sorting, std::int64_t kept) {
  if (rows.n == 1 && !sorting.came_from) {  // in order already
    const_set(sorting.indices, 0, rows.stream);
    if (sorting.values) copy_into(*sorting.values, rows.x, rows.stream);
    return;
  }
  const RowSortPlan plan = plan_row_sort(rows.problem(), kept, rows.traits());
  Tensor space;
  if (plan.workspace > 0) space = rows.workspace(plan.workspace);
  rows.launch(Builtin::arg_sort, "rows", plan.shape,
              Arguments()
                  .add(rows.x.data())
                  .add(address_of(sorting.came_from, 0))
                  .add(sorting.indices.data())
                  .add(address_of(sorting.values, 0))
                  .add(space ? space.data() : nullptr)
                  .add(rows.count)
                  .add(rows.length())
                  .add(static_cast<std::uint32_t>(kept))
                  .add(plan.rows_each)
                  .add(static_cast<std::uint32_t>(sorting.order)));
}

void sort_all(const Rows& rows, const Sorting& sorting) {
  if (is_sorted_alone(rows.problem(), rows.traits())) {
    sort_alone(rows, sorting, rows.n);
    return;
  }
  const Radix radix(rows);
  const std::int64_t batch = radix.plan.batch;
  for (std::int64_t row = 0; row < rows.count; row += batch)
    radix.run(rows, sorting, row, std::min(batch, rows.count - row));
}

void check_countable(std::string_view operation, const Tensor& x, std::size_t dim) {
  if (x.shape()[dim] > std::numeric_limits<std::uint32_t>::max())
    invalid(formatted("{}: x is {}; an index of u32 counts 4294967295 elements along dim {}", operation,
                      x.shape().to_string(), dim));
}

void check_sortable(std::string_view operation, std::int64_t count) {
  if (count > kg::radix_most_row)
    invalid(formatted("{}: {} elements are to be sorted; a row has at most {}", operation, count,
                      kg::radix_most_row));
}

Tensor arg_sort(const Tensor& x, bool ascending, const CallOptions& options) {
  constexpr std::string_view name = "arg_sort";
  check(name, x);
  const Tensor* const input = &x;
  const Tensor indices = output(name, x.device(), x.shape(), DType::u32, options, {&input, 1});
  run(x, indices, nullptr, ascending, options.stream);
  return indices;
}

Indexed sort(const Tensor& x, bool ascending, const IndexedOptions& options) {
  constexpr std::string_view name = "sort";
  check(name, x);
  const Indexed sorted = outputs(name, x, x.shape(), options);
  run(x, sorted.indices, &sorted.values, ascending, options.stream);
  return sorted;
}

}  // namespace kernelgen
