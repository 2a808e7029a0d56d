#include "common/format.hpp"

#include <algorithm>
#include <limits>
#include <utility>

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

/// Buffers for a batch of rows, each shared by many blocks: double-buffered keys, indices and digit
/// histograms.
struct Radix {
  RadixPlan plan;
  Tensor keys, next_keys, indices, counts, totals;

  explicit Radix(const Rows& sorted) : plan(plan_radix_sort(sorted.problem(), sorted.traits())) {
    const std::int64_t elements = plan.batch * sorted.n, bytes = sorted.problem().element_bytes;
    keys = sorted.workspace(elements * bytes);
    if (bytes > 1) {
      next_keys = sorted.workspace(elements * bytes);
      indices = sorted.workspace(elements * 4);
    }
    counts = sorted.workspace(plan.batch * kg::digits * plan.tiles * 4);
    totals = sorted.workspace(plan.batch * kg::digits * 4);
  }

  void run(const Rows& sorted, const Sorting& sorting, std::int64_t row, std::int64_t rows) const {
    const std::int64_t first = row * sorted.n, elements = rows * sorted.n;
    const std::uint32_t n = sorted.length();
    sorted.launch(Builtin::arg_sort, "keys", element_grid(elements, 4, sorted.traits()),
                  Arguments()
                      .add(element_address(sorted.x, first))
                      .add(keys.data())
                      .add(elements)
                      .add(static_cast<std::uint32_t>(sorting.order)));

    // Indices must end in the result: the starting buffer follows from the parity of the number of passes.
    const auto passes = sorted.problem().element_bytes;
    void* from_keys = keys.data();
    void* to_keys = passes > 1 ? next_keys.data() : nullptr;
    void* const result = element_address(sorting.indices, first);
    const void* from_indices = address_of(sorting.came_from, first);
    for (std::uint32_t pass = 0; pass < passes; ++pass) {
      const bool last = pass + 1 == passes;
      void* const to_indices = (passes - pass) % 2 == 1 ? result : indices.data();
      const std::uint32_t shift = pass * kg::digit_bits;
      sorted.launch(Builtin::sort, "count", rows * plan.tiles,
                    Arguments().add(from_keys).add(counts.data()).add(rows).add(n).add(plan.tile).add(shift));
      sorted.launch(Builtin::sort, "sum", rows * kg::digits / (kg::block_threads / plan.group),
                    Arguments()
                        .add(counts.data())
                        .add(totals.data())
                        .add(rows)
                        .add(static_cast<std::uint32_t>(plan.tiles))
                        .add(plan.group));
      sorted.launch(Builtin::sort, "move", rows * plan.tiles,
                    Arguments()
                        .add(from_keys)
                        .add(from_indices)
                        .add(last ? nullptr : to_keys)
                        .add(to_indices)
                        .add(counts.data())
                        .add(totals.data())
                        .add(rows)
                        .add(n)
                        .add(plan.tile)
                        .add(shift));
      std::swap(from_keys, to_keys);
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
