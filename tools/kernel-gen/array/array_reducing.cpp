/// Functions of numpy that reduce, scan or sort along dims.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "array/array_value.hpp"

namespace kernelgen::tool {
namespace {

/// Parameters (a, axis, keepdims); f(row, n) gives the number of a row.
template <class F>
Array reduced(const ArrayCall& call, F f) {
  const Array& x = call.array(0);
  const ArrayRows rows(x, call.dims(1, x));
  Array result{call.truth(2, false) ? rows.ones : rows.kept, {}};
  for (std::size_t r = 0; r < rows.rows; ++r) result.data.push_back(f(rows.row(r), rows.n));
  return result;
}

double sum_of(const double* row, std::size_t n) { return std::accumulate(row, row + n, 0.0); }

/// The sum of squared deviations from the mean.
double deviation_of(const double* row, std::size_t n) {
  const double mean = sum_of(row, n) / static_cast<double>(n);
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += (row[i] - mean) * (row[i] - mean);
  return total;
}

/// The index of the first element that is the most by `is_more`, or NaN.
template <class Compare>
std::size_t most_of(const double* row, std::size_t n, Compare is_more) {
  if (n == 0) throw ArrayFault{"the greatest or least of no elements does not exist"};
  std::size_t best = 0;
  for (std::size_t i = 1; i < n; ++i)
    if (!std::isnan(row[best]) && (is_more(row[i], row[best]) || std::isnan(row[i]))) best = i;
  return best;
}
std::size_t greatest(const double* row, std::size_t n) { return most_of(row, n, std::greater<>()); }
std::size_t least(const double* row, std::size_t n) { return most_of(row, n, std::less<>()); }

template <auto f>
ArrayValue reduction(const ArrayCall& call) {
  return ArrayValue::of(
      reduced(call, [](const double* row, std::size_t n) { return static_cast<double>(f(row, n)); }));
}
template <auto f>
ArrayValue truth(const ArrayCall& call) {
  Array result = reduced(call, [](const double* row, std::size_t n) {
    return f(row, row + n, [](double x) { return x != 0; }) ? 1.0 : 0.0;
  });
  result.is_truth = true;
  return ArrayValue::of(std::move(result));
}
/// Parameters (a, axis, ddof, keepdims).
template <bool is_root>
ArrayValue variance(const ArrayCall& call) {
  const double less = call.has(2) ? call.number(2) : 0;
  std::vector<std::optional<ArrayValue>> values = {
      ArrayValue::of(call.array(0)), {}, ArrayValue::of(Array::scalar(call.truth(3, false)))};
  if (call.has(1)) values[1] = ArrayValue::of(call.tuple(1));
  return ArrayValue::of(reduced(ArrayCall(std::move(values)), [less](const double* row, std::size_t n) {
    const double value = deviation_of(row, n) / (static_cast<double>(n) - less);
    return is_root ? std::sqrt(value) : value;
  }));
}

/// Along a dim, or without one along all elements in order.
template <class F>
ArrayValue along(const ArrayCall& call, F f) {
  if (call.has(1)) return ArrayValue::of(for_each_row(call.array(0), call.array(0).dim(call.whole(1)), f));
  return ArrayValue::of(for_each_row(call.array(0).reshaped({-1}), 0, f));
}
template <class Op>
ArrayValue scan(const ArrayCall& call, Op op) {
  return along(call, [op](double* row, std::size_t n) { std::partial_sum(row, row + n, row, op); });
}

bool is_before(double a, double b) { return a < b || (std::isnan(b) && !std::isnan(a)); }

/// Parameters (a, axis), along the last dim without one.
template <bool gives_index>
ArrayValue sorted(const ArrayCall& call) {
  const Array& x = call.array(0);
  return ArrayValue::of(
      for_each_row(x, x.dim(call.has(1) ? call.whole(1) : -1), [](double* row, std::size_t n) {
        std::vector<std::size_t> order(n);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::ranges::stable_sort(order,
                                 [&](std::size_t a, std::size_t b) { return is_before(row[a], row[b]); });
        std::vector<double> result;
        for (const std::size_t i : order) result.push_back(gives_index ? static_cast<double>(i) : row[i]);
        std::ranges::copy(result, row);
      }));
}

/// Parameters (x, minlength).
ArrayValue bincount(const ArrayCall& call) {
  std::vector<double> counts(call.has(1) ? count_elements({call.whole(1)}) : 0);
  for (const double value : call.array(0).data) {
    const std::int64_t at = whole_number(value);
    if (at < 0) throw ArrayFault{fmt::format("bincount counts no negative numbers, as {}", at)};
    if (static_cast<std::size_t>(at) >= counts.size()) counts.resize(count_elements({at + 1}));
    ++counts[static_cast<std::size_t>(at)];
  }
  const auto size = static_cast<std::int64_t>(counts.size());
  return ArrayValue::of(Array{{size}, std::move(counts)});
}

ArrayValue product_of_matrices(const ArrayCall& call) {
  Array a = call.array(0), b = call.array(1);
  const bool is_row = a.rank() == 1, is_column = b.rank() == 1;
  if (a.rank() == 0 || b.rank() == 0) throw ArrayFault{"matmul takes no single numbers"};
  if (is_row) a.shape.insert(a.shape.begin(), 1);
  if (is_column) b.shape.push_back(1);
  const std::int64_t m = a.shape[a.shape.size() - 2], k = a.shape.back(), n = b.shape.back();
  if (b.shape[b.shape.size() - 2] != k)
    throw ArrayFault{fmt::format("matmul of shapes {} and {}: {} is not {}",
                                 spell_extents(call.array(0).shape), spell_extents(call.array(1).shape), k,
                                 b.shape[b.shape.size() - 2])};
  const ArrayShape batch =
      common_shape({a.shape.begin(), a.shape.end() - 2}, {b.shape.begin(), b.shape.end() - 2});
  const auto with = [&](std::int64_t rows, std::int64_t columns) {
    ArrayShape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    return shape;
  };
  constexpr double most_steps = 0x1p32;
  if (static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n) *
          static_cast<double>(count_elements(batch)) >
      most_steps)
    throw ArrayFault{fmt::format("matmul of shapes {} and {} takes too many steps",
                                 spell_extents(call.array(0).shape), spell_extents(call.array(1).shape))};
  a = a.broadcast_to(with(m, k));
  b = b.broadcast_to(with(k, n));
  Array result = Array::filled(with(m, n), 0);
  const auto sm = static_cast<std::size_t>(m), sk = static_cast<std::size_t>(k),
             sn = static_cast<std::size_t>(n);
  for (std::size_t p = 0; p < count_elements(batch); ++p)
    for (std::size_t i = 0; i < sm; ++i)
      for (std::size_t t = 0; t < sk; ++t)
        for (std::size_t j = 0; j < sn; ++j)
          result.data[(p * sm + i) * sn + j] += a.data[(p * sm + i) * sk + t] * b.data[(p * sk + t) * sn + j];
  if (is_column) result.shape.pop_back();
  if (is_row) result.shape.erase(result.shape.end() - (is_column ? 1 : 2));
  return ArrayValue::of(std::move(result));
}

}  // namespace

std::vector<ArrayFunction> reducing_array_functions() {
  std::vector<ArrayFunction> list = {
      {"bincount", {"x", "minlength"}, 1, bincount},
      {"matmul", {"x1", "x2"}, 2, product_of_matrices},
      {"sort", {"a", "axis"}, 1, sorted<false>},
      {"argsort", {"a", "axis"}, 1, sorted<true>},
      {"std", {"a", "axis", "ddof", "keepdims"}, 1, variance<true>},
      {"var", {"a", "axis", "ddof", "keepdims"}, 1, variance<false>},
      {"cumsum", {"a", "axis"}, 1, [](const ArrayCall& call) { return scan(call, std::plus<>()); }},
      {"cumprod", {"a", "axis"}, 1, [](const ArrayCall& call) { return scan(call, std::multiplies<>()); }},
      {"flip", {"m", "axis"}, 1, [](const ArrayCall& call) {
         const Array& x = call.array(0);
         Array result = x;
         for (const std::size_t dim : call.dims(1, x))
           result = for_each_row(result, dim, [](double* row, std::size_t n) { std::reverse(row, row + n); });
         return ArrayValue::of(std::move(result));
       }}};
  const auto add = [&](std::string_view name, ArrayValue (*call)(const ArrayCall&)) {
    list.push_back({name, {"a", "axis", "keepdims"}, 1, call});
  };
  add("sum", reduction<sum_of>);
  add("mean",
      reduction<[](const double* row, std::size_t n) { return sum_of(row, n) / static_cast<double>(n); }>);
  add("prod", reduction<[](const double* row, std::size_t n) {
        return std::accumulate(row, row + n, 1.0, std::multiplies<>());
      }>);
  add("max", reduction<[](const double* row, std::size_t n) { return row[greatest(row, n)]; }>);
  add("min", reduction<[](const double* row, std::size_t n) { return row[least(row, n)]; }>);
  add("argmax", reduction<greatest>);
  add("argmin", reduction<least>);
  add("count_nonzero", reduction<[](const double* row, std::size_t n) {
        return n - static_cast<std::size_t>(std::count(row, row + n, 0.0));
      }>);
  add("any", truth<[](const double* a, const double* b, auto f) { return std::any_of(a, b, f); }>);
  add("all", truth<[](const double* a, const double* b, auto f) { return std::all_of(a, b, f); }>);
  return list;
}

}  // namespace kernelgen::tool
