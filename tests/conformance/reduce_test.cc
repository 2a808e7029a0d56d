// sum mean prod min max any all argmin argmax min_with_index max_with_index, along all sets of dims of every layout class.
#include "reference/reduce.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/strided.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using DimList = std::vector<std::int64_t>;

constexpr std::string_view operations[] = {"sum", "mean", "prod",   "min",   "max",
                                           "any", "all",  "argmin", "argmax"};

bool is_index(std::string_view operation) { return operation.starts_with("arg"); }
/// Rounded on the way, so that there is more than one right answer.
bool is_rounded(std::string_view operation, DType dtype) {
  return is_float(dtype) && (operation == "sum" || operation == "mean" || operation == "prod");
}

Tensor run(std::string_view operation, const Tensor& x, const DimList& dims, bool keep_dims,
           const CallOptions& options = {}) {
#define CALL(op) \
  if (operation == #op) return op(x, dims, keep_dims, options)
  CALL(sum);
  CALL(mean);
  CALL(prod);
  CALL(min);
  CALL(max);
  CALL(any);
  CALL(all);
#undef CALL
  const auto dim = dims.size() == 1 ? std::optional<std::int64_t>(dims[0]) : std::nullopt;
  return operation == "argmin" ? argmin(x, dim, keep_dims, options) : argmax(x, dim, keep_dims, options);
}

/// Numbers whose partial sums and products stay far from the ends of every format.
Elements moderate(DType dtype, std::int64_t count, bool product) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Real unit =
        std::ldexp(static_cast<Real>(random_bits(7919 * count + static_cast<std::int64_t>(i)) >> 11), -53);
    values[i] = product ? Real{0.9375} + unit / 8 : unit * 4 - Real{1};
  }
  return reference::make_elements(dtype, values);
}

struct Case {
  Shape shape;
  DimList dims;
};

std::string text(std::string_view operation, const Case& c, const View& view) {
  return std::string(operation) + " of " + view.layout.to_string() + " along " + Dims(c.dims).to_string();
}

void check(std::string_view operation, const Elements& storage, const View& view, const Case& c,
           bool keep_dims) {
  const std::string what = text(operation, c, view);
  const Tensor x = upload(storage).with_layout(view.layout);
  const Tensor result = run(operation, x, c.dims, keep_dims);
  Shape wanted_shape;
  for (std::size_t d = 0; d < c.shape.size(); ++d) {
    const auto signed_d = static_cast<std::int64_t>(d);
    const bool reduced = std::ranges::any_of(c.dims, [&](std::int64_t dim) {
      return dim == signed_d || dim + static_cast<std::int64_t>(c.shape.size()) == signed_d;
    });
    if (!reduced)
      wanted_shape.push_back(c.shape[d]);
    else if (keep_dims)
      wanted_shape.push_back(1);
  }
  ASSERT_EQ(result.shape(), wanted_shape) << what;
  const Elements got = download(result), values = gather(storage, view.layout);
  const auto members = reference::members(c.shape, c.dims);
  if (!is_rounded(operation, storage.dtype())) {
    expect_same_values(what, got, reference::reduce(operation, values, members));
    return;
  }
  std::vector<Real> exact, slack;
  for (const auto& list : members) {
    const auto n = static_cast<std::int64_t>(list.size());
    const reference::Total total = reference::total(operation, values, list);
    exact.push_back(total.value);
    slack.push_back(operation == "prod" ? 2 * static_cast<Real>(n) * accumulator_unit(storage.dtype()) *
                                              std::fabs(total.value)
                                        : sum_slack(storage.dtype(), n, total.magnitudes));
  }
  expect_within(what, got, exact, slack);
}

/// min_with_index and max_with_index: what min, or max, gives, and what argmin, or argmax, gives.
void check_pair(bool least, const Elements& storage, const View& view, const Case& c, bool keep_dims) {
  const std::string what = text(least ? "min_with_index" : "max_with_index", c, view);
  const Tensor x = upload(storage).with_layout(view.layout);
  const auto dim = c.dims.size() == 1 ? std::optional<std::int64_t>(c.dims[0]) : std::nullopt;
  const Indexed found = least ? min_with_index(x, dim, keep_dims) : max_with_index(x, dim, keep_dims);
  const Shape shape = run("argmax", x, c.dims, keep_dims).shape();
  ASSERT_EQ(found.values.shape(), shape) << what;
  ASSERT_EQ(found.indices.shape(), shape) << what;
  const Elements values = gather(storage, view.layout);
  const auto members = reference::members(c.shape, c.dims);
  expect_same_values(what, download(found.values), reference::reduce(least ? "min" : "max", values, members));
  expect_same_values(what, download(found.indices),
                     reference::reduce(least ? "argmin" : "argmax", values, members));
}

void check_both_pools(std::string_view operation, DType dtype, Kind kind, const Case& c) {
  const View view = make_view(kind, c.shape);
  check(operation, moderate(dtype, view.storage, operation == "prod"), view, c, false);
  // Everything there is, NaN and infinities too, where nothing is rounded.
  if (!is_rounded(operation, dtype)) check(operation, repeat(pool(dtype), 17, view.storage), view, c, true);
}

const Case small_cases[] = {
    {{1}, {0}},
    {{7}, {0}},
    {{1000}, {0}},
    {{1, 1}, {1}},
    {{3, 5}, {1}},
    {{3, 5}, {0}},
    {{3, 5}, {0, 1}},
    {{13, 257}, {-1}},
    {{13, 257}, {-2}},
    {{257, 13}, {0, 1}},
    {{4, 6, 10}, {1}},
    {{4, 6, 10}, {0, 2}},
    {{4, 6, 10}, {2, 0, 1}},
    {{2, 3, 4, 5}, {1, 3}},
    {{70, 3, 33}, {0}},
    {{70, 3, 33}, {1, 2}},
    {{2, 3, 2, 3, 2, 3, 2, 3}, {1, 4, 6}},
};
/// Many blocks.
const Case large_cases[] = {
    {{300, 130}, {0}}, {{130, 300}, {1}}, {{2, 1500, 35}, {1}}, {{2, 150, 65}, {0, 1}}};
/// Several blocks an output.
const Case huge_cases[] = {{{100003}, {0}}, {{3, 40000}, {1}}, {{40000, 3}, {0}}};

bool takes_index(const Case& c) { return c.dims.size() == 1 || c.dims.size() == c.shape.size(); }

void test_reduce(std::string_view operation, DType dtype) {
  const auto fits = [&](const Case& c) { return !is_index(operation) || takes_index(c); };
  for (const Case& c : small_cases) {
    // The index over all elements counts in row-major order, whatever the order of dims.
    if (!fits(c)) continue;
    for (const Kind kind : strided_kinds) {
      check_both_pools(operation, dtype, kind, c);
      if (testing::Test::HasFailure()) return;
    }
  }
  for (const Case& c : large_cases)
    for (const Kind kind : {Kind::contiguous, Kind::transposed, Kind::sliced})
      if (fits(c)) check_both_pools(operation, dtype, kind, c);
  // More rows than a vector has lanes, of less than one, of some and of many vectors.
  for (const std::int64_t n : {2, 5, 8, 9, 15, 16, 17, 24, 25, 33, 64, 100, 129, 511, 513, 1024, 1025})
    for (const Kind kind : {Kind::contiguous, Kind::sliced})
      check_both_pools(operation, dtype, kind, {{37, n}, {1}});
  for (const Case& c : huge_cases) {
    const View view = make_view(Kind::contiguous, c.shape);
    check(operation, moderate(dtype, view.storage, operation == "prod"), view, c, false);
  }
}

void test_pair(bool least, DType dtype) {
  const auto check_pools = [&](Kind kind, const Case& c) {
    const View view = make_view(kind, c.shape);
    check_pair(least, moderate(dtype, view.storage, false), view, c, false);
    check_pair(least, repeat(pool(dtype), 17, view.storage), view, c, true);
  };
  for (const Case& c : small_cases) {
    if (!takes_index(c)) continue;
    for (const Kind kind : strided_kinds) {
      check_pools(kind, c);
      if (testing::Test::HasFailure()) return;
    }
  }
  for (const Case& c : large_cases)
    for (const Kind kind : {Kind::contiguous, Kind::transposed, Kind::sliced})
      if (takes_index(c)) check_pools(kind, c);
  for (const Case& c : huge_cases) check_pools(Kind::contiguous, c);
  // No result, and one of rank 0.
  const Tensor none = Tensor::zeros(device(), {3, 0}, dtype);
  EXPECT_EQ(max_with_index(none, 0).indices.shape(), Shape{0});
  const Tensor scalar = upload(reference::make_scalar(dtype, 3)).with_layout({{}, {}, 0});
  const Indexed found = min_with_index(scalar, std::nullopt);
  EXPECT_EQ(real_at(download(found.values), 0), 3);
  EXPECT_EQ(real_at(download(found.indices), 0), 0);
}

/// One NaN or infinity among many numbers, at every place that a body might treat apart.
void test_lonely(DType dtype) {
  constexpr std::int64_t n = 9001;
  const Real infinity = std::numeric_limits<Real>::infinity();
  for (const std::int64_t at :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{511}, std::int64_t{4500}, n - 2, n - 1}) {
    for (const Real odd : {std::numeric_limits<Real>::quiet_NaN(), infinity, -infinity}) {
      Elements values = moderate(dtype, n, false);
      const Elements element = reference::make_scalar(dtype, odd);
      std::memcpy(values.at(at), element.at(0), size_of(dtype));
      const Tensor x = upload(values);
      const Real stored = real_at(element, 0);  // f8e4m3 has no infinity
      if (!std::isfinite(stored)) {
        const Elements sum_got = download(sum(x, DimList{0}));
        EXPECT_TRUE(std::isnan(stored) ? std::isnan(real_at(sum_got, 0)) : real_at(sum_got, 0) == stored);
      }
      const auto members = reference::members({n}, DimList{0});
      for (const std::string_view operation : {"min", "max", "argmin", "argmax"})
        expect_same_values(std::string(operation), download(run(operation, x, {0}, false)),
                           reference::reduce(operation, values, members));
    }
  }
}

/// Narrow floats are summed in f32: 4096 ones of f16 beyond 2048 would stand still in f16.
void test_narrow_sums(DType dtype) {
  const Elements ones = repeat(reference::make_scalar(dtype, 1), 0, 440);
  EXPECT_EQ(real_at(download(sum(upload(ones), DimList{0})), 0),
            real_at(reference::make_scalar(dtype, 440), 0));
  // Beyond the format's end on the way, inside it at the end.
  const Real large = dtype == DType::f8e4m3 ? 448 : dtype == DType::f16 ? 60000 : 1e38L;
  std::vector<Real> values(300, large);
  for (std::size_t i = 0; i < 150; ++i) values[2 * i + 1] = -large;
  values.push_back(3);
  if (dtype == DType::bf16) return;  // its range is f32's
  EXPECT_EQ(real_at(download(sum(upload(reference::make_elements(dtype, values)), DimList{0})), 0), 3);
}

void test_empty(DType dtype) {
  const Tensor x = Tensor::zeros(device(), {3, 0}, dtype);
  const auto value = [&](std::string_view operation) {
    const Elements got = download(run(operation, x, {1}, false));
    EXPECT_EQ(got.count(), 3);
    return real_at(got, 2);
  };
  EXPECT_EQ(value("sum"), 0);
  EXPECT_EQ(value("prod"), 1);
  EXPECT_EQ(value("any"), 0);
  EXPECT_EQ(value("all"), 1);
  if (is_float(dtype))
    EXPECT_TRUE(std::isnan(value("mean")));
  else
    EXPECT_EQ(value("mean"), 0);
  for (const std::string_view operation : operations)
    EXPECT_EQ(run(operation, x, {0}, false).shape(), Shape{0}) << operation;
}

/// No dims: a copy, in any layout; a tensor of rank 0 has none to give.
void test_no_dims(DType dtype) {
  const View view = make_view(Kind::transposed, {13, 17});
  const Elements storage = repeat(pool(dtype), 3, view.storage), values = gather(storage, view.layout);
  const Tensor x = upload(storage).with_layout(view.layout);
  for (const std::string_view operation : {"sum", "mean", "prod", "min", "max"})
    EXPECT_EQ(download(run(operation, x, {}, false)).bytes(), values.bytes()) << operation;
  const auto members = reference::members({13, 17}, {});
  for (const std::string_view operation : {"any", "all"})
    expect_same_values(std::string(operation), download(run(operation, x, {}, true)),
                       reference::reduce(operation, values, members));
  const Tensor scalar = upload(slice(values, 0, 1)).with_layout({{}, {}, 0});
  EXPECT_EQ(download(max(scalar, DimList{})).bytes(), slice(values, 0, 1).bytes());
  EXPECT_EQ(real_at(download(argmax(scalar, std::nullopt)), 0), 0);
}

void test_into_out(DType dtype) {
  const Elements values = moderate(dtype, 35, false);
  Elements wanted = poison(dtype, 9);
  const Tensor whole = upload(wanted);
  const Tensor out = whole.with_layout({{5}, {1}, 2});
  const Tensor x = upload(values).with_layout(Layout::contiguous({7, 5}));
  const Tensor result = max(x, DimList{0}, false, {.out = &out});
  EXPECT_EQ(result.data(), out.data());
  const auto members = reference::members({7, 5}, DimList{0});
  const Elements rows = reference::reduce("max", values, members);
  std::memcpy(wanted.at(2), rows.at(0), rows.bytes().size());
  EXPECT_EQ(download(whole).bytes(), wanted.bytes());

  copy_into(whole, upload(poison(dtype, 9)));
  Elements wanted_places = poison(DType::u32, 9);
  const Tensor whole_places = upload(wanted_places), places = whole_places.with_layout({{5}, {1}, 3});
  const Indexed found = max_with_index(x, 0, false, {.values = &out, .indices = &places});
  EXPECT_EQ(found.values.data(), out.data());
  EXPECT_EQ(found.indices.data(), places.data());
  std::memcpy(wanted_places.at(3), reference::reduce("argmax", values, members).at(0), 5 * 4);
  EXPECT_EQ(download(whole).bytes(), wanted.bytes());
  EXPECT_EQ(download(whole_places).bytes(), wanted_places.bytes());
}

}  // namespace

void register_reduce_tests() {
  for (const DType dtype : all_dtypes) {
    const std::string types(name_of(dtype));
    for (const std::string_view operation : operations)
      register_test(std::string(operation), types, [operation, dtype] { test_reduce(operation, dtype); });
    register_test("min_with_index", types, [dtype] { test_pair(true, dtype); });
    register_test("max_with_index", types, [dtype] { test_pair(false, dtype); });
    if (is_float(dtype)) register_test("reduce_lonely", types, [dtype] { test_lonely(dtype); });
    if (is_float(dtype) && size_of(dtype) < 4)
      register_test("reduce_narrow_sums", types, [dtype] { test_narrow_sums(dtype); });
    register_test("reduce_empty", types, [dtype] { test_empty(dtype); });
    register_test("reduce_no_dims", types, [dtype] { test_no_dims(dtype); });
    register_test("reduce_into_out", types, [dtype] { test_into_out(dtype); });
  }
}

}  // namespace kernelgen::conformance
