#include "common/format.hpp"

#include <algorithm>

#include "ops/grid.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/output.hpp"
#include "ops/sorting.hpp"

namespace kernelgen {
namespace {

/// Rows that saturate a GPU with one block each, and the longest row for a single block if there are fewer
/// rows.
constexpr std::int64_t many_rows = 256, short_row = 32 * 1024;
/// Blocks that share the rows, and minimum elements per block.
constexpr std::int64_t busy_blocks = 2048, gpu_part = 2048;
/// CPU costs in units of one element read: each element kept in the running best (others move), each element
/// of a radix search, and each selected element to sort.
constexpr std::int64_t cost_of_keeping = 300, cost_of_searching = 16, cost_of_sorting = 60;

/// The first k of sorted rows, NaN and the greatest first. k is not 0.
struct TopK {
  const Rows& rows;
  std::int64_t k;
  const Tensor& values;
  const Tensor& places;

  bool on_cpu() const { return rows.threads() > 0; }
  std::uint32_t wanted() const { return static_cast<std::uint32_t>(k); }
  static constexpr auto order = static_cast<std::uint32_t>(kg::Order::greatest_first);

  /// Whether rows are short enough, or k small enough, for the row sort.
  bool is_sorted() const {
    const auto bytes = static_cast<unsigned>(rows.element_bytes());
    if (!on_cpu()) return rows.n <= kg::block_row_limit(bytes);
    if (rows.n <= kg::ranked_row_limit(bytes)) return true;
    // A single thread keeps the running best; several threads can search.
    const std::int64_t searching =
        rows.n >= shared_row ? std::max<std::int64_t>(1, rows.threads() / rows.count) : 1;
    return (rows.n + cost_of_keeping * k) * searching <= cost_of_searching * rows.n + cost_of_sorting * k;
  }
  /// Whether each row has one block.
  bool is_alone() const {
    return on_cpu() ? is_sorted_alone(rows) : rows.count >= many_rows || rows.n <= short_row;
  }

  void run() const {
    const kg::Order by = kg::Order::greatest_first;
    if (is_sorted()) {
      sort_alone(rows, {by, places, &values}, k);
      return;
    }
    const Tensor chosen = Tensor::empty(rows.device(), {rows.count, k}, rows.x.dtype(), rows.stream);
    const Tensor chosen_places = Tensor::empty(rows.device(), {rows.count, k}, DType::u32, rows.stream);
    if (is_alone())
      select_rows(chosen, chosen_places);
    else
      select_parts(chosen, chosen_places);
    sort_all(Rows(chosen, rows.stream), {by, places, &values, &chosen_places, &rows.x});
  }

  void select_rows(const Tensor& chosen, const Tensor& chosen_places) const {
    rows.launch(Builtin::top_k, "rows", rows.count,
                Arguments()
                    .add(rows.x.data())
                    .add(chosen.data())
                    .add(chosen_places.data())
                    .add(rows.count)
                    .add(rows.length())
                    .add(wanted())
                    .add(order));
  }

  void select_parts(const Tensor& chosen, const Tensor& chosen_places) const {
    const std::int64_t wanted_parts =
        on_cpu() ? std::int64_t{rows.threads()} * 2 : quotient_up(busy_blocks, rows.count);
    const std::int64_t length =
        std::max(quotient_up(rows.n, wanted_parts), on_cpu() ? shared_row / 4 : gpu_part);
    const std::int64_t parts = quotient_up(rows.n, length),
                       passes = kg::select_passes(static_cast<unsigned>(rows.element_bytes()));
    const auto part = static_cast<std::uint32_t>(length);
    const Tensor counts =
        Tensor::zeros(rows.device(), {passes, rows.count, kg::select_digits}, DType::u32, rows.stream);
    const Tensor states = rows.workspace((passes + 1) * rows.count * kg::select_state_words * 8);
    const Tensor found = rows.workspace(2 * rows.count * parts * 4);
    for (std::uint32_t pass = 0; pass < passes; ++pass)
      rows.launch(Builtin::top_k, "count", rows.count * parts,
                  Arguments()
                      .add(rows.x.data())
                      .add(counts.data())
                      .add(states.data())
                      .add(rows.count)
                      .add(rows.length())
                      .add(wanted())
                      .add(part)
                      .add(pass)
                      .add(order));
    rows.launch(Builtin::top_k, "survey", rows.count * parts,
                Arguments()
                    .add(rows.x.data())
                    .add(counts.data())
                    .add(states.data())
                    .add(found.data())
                    .add(rows.count)
                    .add(rows.length())
                    .add(wanted())
                    .add(part)
                    .add(order));
    rows.launch(Builtin::top_k, "take", rows.count * parts,
                Arguments()
                    .add(rows.x.data())
                    .add(states.data())
                    .add(found.data())
                    .add(chosen.data())
                    .add(chosen_places.data())
                    .add(rows.count)
                    .add(rows.length())
                    .add(wanted())
                    .add(part)
                    .add(order));
  }
};

void run(const Tensor& x, std::int64_t k, const Indexed& results, const Stream& stream) {
  const Tensor source = make_contiguous(x, stream);
  TopK{Rows(source, stream), k, results.values, results.indices}.run();
}

}  // namespace

Indexed top_k(const Tensor& x, std::int64_t k, std::int64_t dim, const IndexedOptions& options) {
  constexpr std::string_view name = "top_k";
  const Tensor* const input = &x;
  check_inputs(name, {&input, 1});
  const std::size_t at = normalize_dim(name, dim, x.shape().size());
  check_countable(name, x, at);
  if (k < 0 || k > x.shape()[at])
    invalid(formatted("{}: k is {}; dim {} of shape {} has {} elements, so that it takes 0 to {}", name, k,
                      at, x.shape().to_string(), x.shape()[at], x.shape()[at]));
  Shape shape = x.shape();
  shape[at] = k;
  const Indexed results = outputs(name, x, shape, options);
  if (results.values.elements() == 0) return results;
  const auto from = static_cast<std::int64_t>(at), last = static_cast<std::int64_t>(shape.size()) - 1;
  if (from == last) {
    run(x, k, results, options.stream);
    return results;
  }
  // Moves the dim last, and back.
  std::swap(shape[at], shape[shape.size() - 1]);
  const Indexed turned{Tensor::empty(x.device(), shape, x.dtype(), options.stream),
                       Tensor::empty(x.device(), shape, DType::u32, options.stream)};
  run(x.transpose(from, last), k, turned, options.stream);
  copy_into(results.values, turned.values.transpose(from, last), options.stream);
  copy_into(results.indices, turned.indices.transpose(from, last), options.stream);
  return results;
}

}  // namespace kernelgen
