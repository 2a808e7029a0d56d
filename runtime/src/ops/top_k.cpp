#include "common/format.hpp"

#include "ops/body.hpp"
#include "ops/operand.hpp"
#include "ops/output.hpp"
#include "ops/sorting.hpp"

namespace kernelgen {
namespace {

/// The first k of sorted rows, NaN and the greatest first. k is not 0.
void run(const Tensor& x, std::int64_t k, const Indexed& results, const Stream& stream) {
  const Tensor source = make_contiguous(x, stream);
  const Rows rows(source, stream);
  const Sorting sorting{kg::Order::greatest_first, results.indices, &results.values};
  if (are_rows_sorted_for_top_k(rows.problem(), k, rows.traits())) {
    sort_alone(rows, sorting, k);
    return;
  }
  const Tensor* const input = &source;
  const Scalar scalar(k);
  const Operation select = Operation::builtin(source.device(), Builtin::select_k);
  const std::vector<Tensor> chosen = run_body(select, {&input, 1}, {&scalar, 1}, {.stream = stream});
  if (chosen.size() != 2)
    throw Error(Code::bad_package, formatted("{} has {} results; top_k needs its values and indices",
                                             select.name(), chosen.size()));
  sort_all(Rows(chosen[0], stream), {sorting.order, sorting.indices, sorting.values, &chosen[1], &source});
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
  check_sortable(name, k);
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
