// matmul: every path (tiles, vectors on either side, a library) over shapes on both sides of its limits.
#include "reference/matmul.hpp"

#include <gtest/gtest.h>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/strided.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// Numbers in [-2, 2); f8e4m3's among those with few bits, so that sums do not all saturate.
Elements spread(DType dtype, std::int64_t count, std::uint64_t stream) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(
        std::ldexp(static_cast<Real>(random_bits(stream + static_cast<std::uint64_t>(i)) >> 11), -51) - 2);
  return reference::make_elements(dtype, values);
}

std::vector<Real> slack_of(DType dtype, std::int64_t terms, const std::vector<Real>& magnitudes) {
  std::vector<Real> slack;
  for (const Real magnitude : magnitudes)
    slack.push_back(terms == 0 ? 0 : sum_slack(dtype, terms, magnitude));
  return slack;
}

void check(DType dtype, const View& a, const Elements& a_storage, const View& b, const Elements& b_storage) {
  const std::string what = "matmul of " + a.layout.to_string() + " and " + b.layout.to_string();
  const reference::MatrixProduct wanted = reference::matmul(a_storage, a.layout, b_storage, b.layout);
  const Tensor left = upload(a_storage).with_layout(a.layout),
               right = upload(b_storage).with_layout(b.layout);
  const std::int64_t terms = a.layout.shape.back(), count = reference::count_of(wanted.shape);
  // Poison first: nothing of the output may be read, and nothing around it written.
  Elements storage = poison(dtype, count + 9);
  const Tensor whole = upload(storage);
  Layout inside = Layout::contiguous(wanted.shape);
  inside.offset = 5;
  const Tensor out = whole.with_layout(inside);
  ASSERT_EQ(matmul(left, right, {.out = &out}).shape(), wanted.shape) << what;
  const Elements got = download(whole);
  expect_within(what, reference::slice(got, 5, count), wanted.values,
                slack_of(dtype, terms, wanted.magnitudes));
  EXPECT_EQ(reference::slice(got, 0, 5).bytes(), reference::slice(storage, 0, 5).bytes()) << what;
  EXPECT_EQ(reference::slice(got, 5 + count, 4).bytes(), reference::slice(storage, 5 + count, 4).bytes())
      << what;
  // A library may have another algorithm for memory that is aligned otherwise.
  expect_within(what, download(matmul(left, right)), wanted.values,
                slack_of(dtype, terms, wanted.magnitudes));
}

void check(DType dtype, const View& a, const View& b) {
  check(dtype, a, spread(dtype, a.storage, 1), b, spread(dtype, b.storage, 1000003));
}

View plain(const Shape& shape) { return make_view(Kind::contiguous, shape); }

struct Sizes {
  std::int64_t m, k, n;
};

void test_shapes(DType dtype) {
  for (const Sizes& s : {Sizes{1, 1, 1},
                         {2, 3, 2},
                         {5, 1, 7},
                         {16, 16, 16},
                         {17, 33, 65},
                         {64, 64, 64},
                         {65, 31, 129},
                         {130, 70, 257},
                         {128, 256, 128},
                         {6, 300, 16},
                         {127, 515, 33},
                         {257, 5, 2},
                         {2, 5, 257},
                         {300, 1024, 3},
                         {128, 1024, 64},
                         {64, 4096, 128}}) {
    check(dtype, plain({s.m, s.k}), plain({s.k, s.n}));
    if (testing::Test::HasFailure()) return;
  }
}

/// One row or one column: sums of every length that a body treats apart.
void test_vectors(DType dtype) {
  for (const std::int64_t k : {1, 2, 7, 16, 63, 64, 130, 257, 2048, 2049, 5000})
    for (const std::int64_t n : {1, 3, 33, 600}) {
      if (k * n > 200000) continue;
      check(dtype, plain({1, k}), plain({k, n}));
      check(dtype, plain({n, k}), plain({k, 1}));
      check(dtype, plain({1, k}), make_view(Kind::transposed, {k, n}));
      check(dtype, make_view(Kind::transposed, {n, k}), plain({k, 1}));
      check(dtype, make_view(Kind::sliced, {n, k}), make_view(Kind::reversed, {k, 1}));
      if (testing::Test::HasFailure()) return;
    }
  // So many that a group of a GPU's threads multiplies several rows at a time; the last one has fewer.
  const std::int64_t rows = 2051, k = 8192 / static_cast<std::int64_t>(size_of(dtype)) + 5;
  check(dtype, make_view(Kind::sliced, {rows, k + 3}), plain({k + 3, 1}));
  check(dtype, plain({rows, k + 3}), plain({k + 3, 1}));
}

void test_layouts(DType dtype) {
  for (const Kind a : strided_kinds)
    for (const Kind b : strided_kinds) {
      check(dtype, make_view(a, {19, 37}), make_view(b, {37, 23}));
      check(dtype, make_view(a, {3, 4, 9}), make_view(b, {3, 9, 5}));
      if (testing::Test::HasFailure()) return;
    }
  // Large enough for whole packs and for a library.
  for (const Kind a :
       {Kind::contiguous, Kind::offset, Kind::transposed, Kind::sliced, Kind::reversed, Kind::row})
    for (const Kind b : {Kind::contiguous, Kind::transposed, Kind::sliced, Kind::stepped, Kind::column}) {
      check(dtype, make_view(a, {70, 96}), make_view(b, {96, 72}));
      if (testing::Test::HasFailure()) return;
    }
}

void test_batches(DType dtype) {
  const std::pair<Shape, Shape> pairs[] = {{{2, 3, 4, 5}, {1, 3, 5, 6}},
                                           {{2, 1, 4, 5}, {3, 5, 6}},
                                           {{7, 4, 5}, {5, 6}},
                                           {{4, 5}, {7, 5, 6}},
                                           {{2, 1, 3, 4, 5}, {2, 2, 1, 5, 3}},
                                           {{3, 1, 40}, {40, 20}},
                                           {{3, 20, 40}, {3, 40, 1}},
                                           {{2, 1, 2, 1, 2, 1, 3, 4}, {1, 2, 1, 2, 1, 2, 4, 3}},
                                           {{2, 3, 1, 33}, {2, 1, 33, 1}},
                                           {{3, 66, 70}, {3, 70, 65}},
                                           {{1, 1, 1}, {5, 1, 1}}};
  for (const auto& [a, b] : pairs) {
    check(dtype, plain(a), plain(b));
    check(dtype, make_view(Kind::transposed, a), make_view(Kind::sliced, b));
    check(dtype, make_view(Kind::reversed, a), make_view(Kind::transposed, b));
    if (testing::Test::HasFailure()) return;
  }
}

void test_empty(DType dtype) {
  for (const auto& [a, b] : {std::pair<Shape, Shape>{{0, 3}, {3, 4}},
                             {{4, 3}, {3, 0}},
                             {{0, 0}, {0, 0}},
                             {{0, 4, 3}, {3, 4}},
                             {{4, 0}, {0, 5}},
                             {{1, 0}, {0, 5}},
                             {{2, 3, 0}, {0, 1}}})
    check(dtype, plain(a), plain(b));
}

/// A long sum of terms of one sign, where sequential addition would lose most precision.
void test_long_sums(DType dtype) {
  constexpr std::int64_t k = 20000;
  const Elements third = reference::make_scalar(dtype, Real{1} / 3),
                 small = reference::make_scalar(dtype, 0.0123);
  for (const Sizes& s : {Sizes{3, k, 3}, {4, k, 4}, {1, k, 2}, {2, k, 1}})
    check(dtype, plain({s.m, k}), repeat(third, 0, s.m * k), plain({k, s.n}), repeat(small, 0, k * s.n));
}

/// Few results of many terms, which GPUs sum in ranges; the ranges of views and of broadcast slices, too.
void test_ranges(DType dtype) {
  constexpr std::int64_t k = 8192;
  check(dtype, plain({5, k}), make_view(Kind::transposed, {k, 9}));
  check(dtype, make_view(Kind::sliced, {3, 6, k}), plain({k, 5}));
}

/// Zeros next to a tile's edge must not meet infinities, and a NaN spoils its row or column alone.
void test_specials(DType dtype) {
  const Real infinity = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
  for (const Sizes& s : {Sizes{5, 7, 9}, {70, 67, 65}, {1, 33, 40}, {40, 33, 1}, {130, 100, 70}}) {
    Elements a = spread(dtype, s.m * s.k, 3), b = spread(dtype, s.k * s.n, 4);
    const auto set = [&](Elements& x, std::int64_t i, Real value) {
      std::memcpy(x.at(i), reference::make_scalar(dtype, value).at(0), size_of(dtype));
    };
    set(a, s.m * s.k - 1, nan);
    // NVIDIA GPUs' NaN has another mantissa than the host's.
    if (dtype == DType::f32) std::memset(a.at(s.m * s.k - 1), 0xff, sizeof(float));
    set(b, s.k * s.n - 1, dtype == DType::f8e4m3 ? nan : infinity);
    set(b, 0, nan);
    check(dtype, plain({s.m, s.k}), a, plain({s.k, s.n}), b);
    // 0 · inf and inf - inf are NaN.
    Elements zeros = reference::make_elements(dtype, std::vector<Real>(static_cast<std::size_t>(s.m * s.k)));
    check(dtype, plain({s.m, s.k}), zeros, plain({s.k, s.n}), b);
    if (testing::Test::HasFailure()) return;
  }
}

/// Terms of which one factor is subnormal count.
void test_subnormals(DType dtype) {
  if (dtype == DType::f64) return;
  constexpr std::int64_t m = 70, k = 40, n = 66;
  const Real lowest = dtype == DType::f16 ? 0x1p-24L : dtype == DType::f8e4m3 ? 0x1p-9L : 0x1p-130L;
  std::vector<Real> values;
  for (std::int64_t i = 0; i < m * k; ++i) values.push_back(lowest * static_cast<Real>(1 + i % 7));
  const Real large = dtype == DType::f16 ? 1024 : dtype == DType::f8e4m3 ? 64 : 0x1p100L;
  check(dtype, plain({m, k}), reference::make_elements(dtype, values), plain({k, n}),
        repeat(reference::make_scalar(dtype, large), 0, k * n));
  // Neither factor is, but what they give.
  if (dtype == DType::bf16)
    check(dtype, plain({m, k}), repeat(reference::make_scalar(dtype, 0x1p-70L), 0, m * k), plain({k, n}),
          repeat(reference::make_scalar(dtype, 0x1p-60L), 0, k * n));
}

/// 16-bit operands with an f32 result; with `is_mixed`, a is f32 too and rounded first.
void check_wide(DType dtype, bool is_mixed, const View& a, const View& b) {
  const std::string what = std::string(is_mixed ? "matmul of f32 " : "wide matmul of ") +
                           a.layout.to_string() + " and " + b.layout.to_string();
  const Elements right = spread(dtype, b.storage, 1000003),
                 left = spread(is_mixed ? DType::f32 : dtype, a.storage, 1);
  std::vector<Real> values;
  for (std::int64_t i = 0; i < left.count(); ++i) values.push_back(real_at(left, i));
  const reference::MatrixProduct wanted =
      reference::matmul(reference::make_elements(dtype, values), a.layout, right, b.layout);
  const Tensor x = upload(left).with_layout(a.layout), y = upload(right).with_layout(b.layout),
               out = Tensor::empty(device(), wanted.shape, DType::f32);
  matmul(x, y, {.out = &out});
  const std::vector<Real> slack = slack_of(DType::f32, a.layout.shape.back(), wanted.magnitudes);
  expect_within(what, download(out), wanted.values, slack);
  if (is_mixed) expect_within(what, download(matmul(x, y)), wanted.values, slack);
}

void test_wide(DType dtype) {
  for (const bool is_mixed : {false, true}) {
    for (const Sizes& s :
         {Sizes{1, 1, 1}, {1, 64, 33}, {1, 4099, 5}, {1, 300, 600}, {3, 96, 17}, {70, 64, 130}, {9, 0, 4}}) {
      check_wide(dtype, is_mixed, plain({s.m, s.k}), plain({s.k, s.n}));
      check_wide(dtype, is_mixed, plain({s.m, s.k}), make_view(Kind::transposed, {s.k, s.n}));
      check_wide(dtype, is_mixed, make_view(Kind::sliced, {s.m, s.k}), make_view(Kind::reversed, {s.k, s.n}));
    }
    for (const auto& [a, b] : {std::pair<Shape, Shape>{{2, 3, 1, 40}, {2, 1, 40, 20}},
                               {{3, 1, 40}, {3, 40, 7}},
                               {{30, 1, 40}, {40, 20}},
                               {{2, 5, 9}, {2, 9, 4}}}) {
      check_wide(dtype, is_mixed, plain(a), plain(b));
      check_wide(dtype, is_mixed, make_view(Kind::transposed, a), make_view(Kind::sliced, b));
    }
    check_wide(dtype, is_mixed, plain({1, 4104}), make_view(Kind::transposed, {4104, 2051}));
  }
}

}  // namespace

void register_matmul_tests() {
  for (const DType dtype : float_dtypes) {
    const std::string types(name_of(dtype));
    register_test("matmul", types, [dtype] {
      test_shapes(dtype);
      test_batches(dtype);
      test_empty(dtype);
      test_long_sums(dtype);
      test_ranges(dtype);
      test_specials(dtype);
      test_subnormals(dtype);
    });
    register_test("matmul_vectors", types, [dtype] { test_vectors(dtype); });
    register_test("matmul_layouts", types, [dtype] { test_layouts(dtype); });
    if (dtype == DType::f16 || dtype == DType::bf16)
      register_test("matmul_wide", types, [dtype] { test_wide(dtype); });
  }
}

}  // namespace kernelgen::conformance
