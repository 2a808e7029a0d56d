// cumsum along every dim of every layout class, and of lists that are split into parts.
#include "reference/scan.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/strided.hpp"
#include "tolerance.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// Numbers whose sums stay far from the ends of every format: from -1 to 3, or about as many below zero as above.
Elements moderate(DType dtype, std::int64_t count, std::int64_t stream, bool balanced = false) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  const std::uint64_t first = 9973 * static_cast<std::uint64_t>(stream + 1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Real unit = std::ldexp(static_cast<Real>(random_bits(first + i) >> 11), -53);
    values[i] = balanced ? unit * 2 - Real{1} : unit * 4 - Real{1};
  }
  return reference::make_elements(dtype, values);
}

/// The row-major numbers of the elements of each line along `dim`.
std::vector<std::vector<std::int64_t>> lines_of(const Shape& shape, std::size_t dim) {
  std::int64_t inner = 1, outer = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) (d < dim ? outer : inner) *= d == dim ? 1 : shape[d];
  std::vector<std::vector<std::int64_t>> lines;
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      auto& line = lines.emplace_back();
      for (std::int64_t k = 0; k < shape[dim]; ++k) line.push_back((o * shape[dim] + k) * inner + i);
    }
  return lines;
}

Elements pick(const Elements& from, const std::vector<std::int64_t>& places) {
  Elements picked(from.dtype(), static_cast<std::int64_t>(places.size()));
  for (std::size_t i = 0; i < places.size(); ++i)
    std::memcpy(picked.at(static_cast<std::int64_t>(i)), from.at(places[i]), size_of(from.dtype()));
  return picked;
}

void expect_sums(const std::string& what, const Elements& got, const Elements& values, const Shape& shape,
                 std::size_t dim) {
  ASSERT_EQ(got.count(), values.count()) << what;
  for (const auto& line : lines_of(shape, dim)) {
    const Elements terms = pick(values, line), sums = pick(got, line);
    if (!is_float(values.dtype())) {
      ASSERT_EQ(sums.bytes(), reference::integer_prefix_sums(terms).bytes()) << what;
      continue;
    }
    const reference::PrefixSums wanted = reference::prefix_sums(terms);
    std::vector<Real> slack;
    for (std::size_t i = 0; i < wanted.values.size(); ++i)
      slack.push_back(sum_slack(values.dtype(), static_cast<std::int64_t>(i) + 1, wanted.magnitudes[i]));
    expect_within(what, sums, wanted.values, slack);
    if (testing::Test::HasFailure()) return;
  }
}

void check(const Elements& storage, const View& view, std::int64_t dim) {
  const std::string what = "cumsum of " + std::string(name_of(storage.dtype())) + " " +
                           view.layout.to_string() + " along " + std::to_string(dim);
  const Tensor x = upload(storage).with_layout(view.layout);
  const Tensor y = cumsum(x, dim);
  ASSERT_EQ(y.shape(), view.layout.shape) << what;
  EXPECT_EQ(download(y).bytes(), download(cumsum(x, dim)).bytes()) << what << ": not the same twice";
  const std::size_t at =
      static_cast<std::size_t>(dim < 0 ? dim + static_cast<std::int64_t>(view.layout.rank()) : dim);
  expect_sums(what, download(y), gather(storage, view.layout), view.layout.shape, at);
}

void check(DType dtype, const Shape& shape, std::int64_t dim, Kind kind = Kind::contiguous) {
  const View view = make_view(kind, shape);
  check(moderate(dtype, view.storage, dim, view.storage > 3000), view, dim);
  if (!is_float(dtype)) check(repeat(pool(dtype), 29, view.storage), view, dim);  // sums that wrap
}

void test_layouts(DType dtype) {
  const Shape shapes[] = {{1}, {7}, {37}, {13, 17}, {4, 6, 10}, {3, 1, 1}, {2, 3, 2, 3, 2, 3, 2, 3}};
  for (const Shape& shape : shapes)
    for (const Kind kind : strided_kinds)
      for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(shape.size()); ++dim) {
        check(dtype, shape, dim, kind);
        if (testing::Test::HasFailure()) return;
      }
  check(dtype, {3, 4}, -2);
}

/// Around what a thread, a group and a block take at once.
void test_lengths(DType dtype) {
  for (const std::int64_t n :
       {2, 8, 9, 15, 16, 17, 63, 64, 65, 127, 129, 511, 512, 513, 1023, 1025, 4095, 4097}) {
    check(dtype, {5, n}, 1);
    check(dtype, {n, 5}, 0);
    if (testing::Test::HasFailure()) return;
  }
  for (const std::int64_t columns : {2, 3, 4, 63, 64, 65, 255, 256, 257, 1025})
    check(dtype, {2, 19, columns}, 1);
  for (const Shape& shape : {Shape{1000, 3}, Shape{515, 1}, Shape{300, 70}}) check(dtype, shape, 1);
  for (const Kind kind : {Kind::offset, Kind::transposed}) {
    check(dtype, {3, 2049}, 1, kind);
    check(dtype, {2049, 3}, 0, kind);
  }
}

/// Lists that are cut into parts.
void test_long(DType dtype) {
  check(dtype, {200003}, 0);
  check(dtype, {3, 70001}, 1, Kind::offset);
  check(dtype, {100001, 2}, 0);
  check(dtype, {2, 20011, 5}, 1);
  check(dtype, {9001, 33}, 0, Kind::offset);
}

/// One NaN or infinity: what is before keeps its sums, whatever a body does at once; infinities of both signs are a
/// NaN from the second on.
void test_lonely(DType dtype) {
  const Real infinity = std::numeric_limits<Real>::infinity(), nan = std::numeric_limits<Real>::quiet_NaN();
  for (const Shape& shape : {Shape{90011, 1}, Shape{3001, 1}, Shape{40009, 3}}) {
    const std::int64_t n = shape[0], columns = shape[1];
    for (const std::int64_t at : {std::int64_t{0}, std::int64_t{5}, std::int64_t{511}, n / 2, n - 1})
      for (const Real odd : {nan, infinity, -infinity}) {
        Elements values = moderate(dtype, n * columns, at, true);
        const Elements element = reference::make_scalar(dtype, odd),
                       other = reference::make_scalar(dtype, -odd);
        std::memcpy(values.at(at * columns), element.at(0), size_of(dtype));
        if (at + 9 < n) std::memcpy(values.at((at + 9) * columns), other.at(0), size_of(dtype));
        const Tensor x = upload(values).reshape(columns == 1 ? Shape{n} : shape);
        expect_sums("cumsum with " + reference::describe(element, 0) + " at " + std::to_string(at),
                    download(cumsum(x, 0)), values, shape, 0);
        if (testing::Test::HasFailure()) return;
      }
  }
}

/// Narrow floats are summed in f32: 4096 ones of f16 beyond 2048 would stand still in f16.
void test_narrow_sums(DType dtype) {
  const Elements ones = repeat(reference::make_scalar(dtype, 1), 0, 440);
  EXPECT_EQ(real_at(download(cumsum(upload(ones), 0)), 439), real_at(reference::make_scalar(dtype, 440), 0));
}

void test_empty(DType dtype) {
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 5}})
    for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(shape.size()); ++dim) {
      const Tensor y = cumsum(Tensor::zeros(device(), shape, dtype), dim);
      EXPECT_EQ(y.shape(), shape);
      EXPECT_EQ(y.dtype(), dtype);
    }
}

/// Between elements that must stay as they are, and in place.
void test_into_out(DType dtype) {
  for (const Shape& shape : {Shape{7, 5}, Shape{9000, 3}, Shape{2, 9001}})
    for (const std::int64_t dim : {0, 1}) {
      const std::int64_t count = reference::count_of(shape);
      const Elements values = moderate(dtype, count, 3, true);
      Elements wanted = poison(dtype, count + 4);
      std::memcpy(wanted.at(2), download(cumsum(upload(values).reshape(shape), dim)).at(0),
                  values.bytes().size());
      Elements around = poison(dtype, count + 4);
      const Tensor whole = upload(around);
      Layout layout = Layout::contiguous(shape);
      layout.offset = 2;
      const Tensor out = whole.with_layout(layout);
      EXPECT_EQ(cumsum(upload(values).reshape(shape), dim, {.out = &out}).data(), out.data());
      EXPECT_EQ(download(whole).bytes(), wanted.bytes());
      std::memcpy(around.at(2), values.at(0), values.bytes().size());
      copy_into(whole, upload(around));
      cumsum(out, dim, {.out = &out});
      const Elements in_place = download(whole);
      expect_sums("cumsum in place", slice(in_place, 2, count), values, shape, static_cast<std::size_t>(dim));
      EXPECT_EQ(slice(in_place, 0, 2).bytes(), slice(wanted, 0, 2).bytes());
      EXPECT_EQ(slice(in_place, count + 2, 2).bytes(), slice(wanted, count + 2, 2).bytes());
    }
}

}  // namespace

void register_scan_tests() {
  for (const DType dtype : all_dtypes) {
    const std::string types(name_of(dtype));
    register_test("cumsum", types, [dtype] {
      test_layouts(dtype);
      test_lengths(dtype);
      test_empty(dtype);
      test_into_out(dtype);
    });
    register_test("cumsum_long", types, [dtype] { test_long(dtype); });
    if (is_float(dtype)) register_test("cumsum_lonely", types, [dtype] { test_lonely(dtype); });
    if (is_float(dtype) && size_of(dtype) < 4)
      register_test("cumsum_narrow", types, [dtype] { test_narrow_sums(dtype); });
  }
}

}  // namespace kernelgen::conformance
