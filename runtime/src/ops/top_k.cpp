#include "common/format.hpp"

#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/output.hpp"
#include "ops/sorting.hpp"

namespace kernelgen {
namespace {

/// The first k of sorted rows, NaN and the greatest first. k is not 0.
struct TopK {
  const Rows& rows;
  std::int64_t k;
  const Tensor& values;
  const Tensor& places;

  std::uint32_t wanted() const { return static_cast<std::uint32_t>(k); }
  static constexpr auto order = static_cast<std::uint32_t>(kg::Order::greatest_first);

  void run() const {
    const kg::Order by = kg::Order::greatest_first;
    const TopKPlan plan = plan_top_k(rows.problem(), k, rows.traits());
    if (plan.form == TopKForm::sort) {
      sort_alone(rows, {by, places, &values}, k);
      return;
    }
    const Tensor chosen = Tensor::empty(rows.device(), {rows.count, k}, rows.x.dtype(), rows.stream);
    const Tensor chosen_places = Tensor::empty(rows.device(), {rows.count, k}, DType::u32, rows.stream);
    if (plan.form == TopKForm::rows)
      select_rows(chosen, chosen_places);
    else
      select_parts(plan, chosen, chosen_places);
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

  void select_parts(const TopKPlan& plan, const Tensor& chosen, const Tensor& chosen_places) const {
    const std::int64_t parts = plan.parts, passes = kg::select_passes(rows.problem().element_bytes);
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
                      .add(plan.part)
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
                    .add(plan.part)
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
                    .add(plan.part)
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
  const Indexed sorted_last{Tensor::empty(x.device(), shape, x.dtype(), options.stream),
                            Tensor::empty(x.device(), shape, DType::u32, options.stream)};
  run(x.transpose(from, last), k, sorted_last, options.stream);
  copy_into(results.values, sorted_last.values.transpose(from, last), options.stream);
  copy_into(results.indices, sorted_last.indices.transpose(from, last), options.stream);
  return results;
}

}  // namespace kernelgen
