// top_k of every row length and k that has its own code path, along every dim.
#include <gtest/gtest.h>

#include <algorithm>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/sort.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

enum class Order { special, random, few, equal, rising, falling, nans };
constexpr Order orders[] = {Order::special, Order::random,  Order::few, Order::equal,
                            Order::rising,  Order::falling, Order::nans};

Elements make(DType dtype, Order order, std::int64_t count) {
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Real place = static_cast<Real>(i % 200);
    switch (order) {
      case Order::special:
        return repeat(pool(dtype), 11, count);
      case Order::random:
        return random_patterns(dtype, count, 77);
      case Order::few:  // both zeros among them
        values[i] = random_bits(i) % 4 == 3 ? -Real{0} : static_cast<Real>(random_bits(i) % 4);
        break;
      case Order::equal:
        values[i] = 1;
        break;
      case Order::rising:  // each element is greater than all before, up to where numbers end
        values[i] = size_of(dtype) == 1 ? place : static_cast<Real>(i) / (size_of(dtype) == 2 ? 8 : 1);
        break;
      case Order::falling:
        values[i] =
            size_of(dtype) == 1 ? 200 - place : static_cast<Real>(count - static_cast<std::int64_t>(i));
        break;
      case Order::nans:
        values[i] = i % 5 == 2 ? static_cast<Real>(i % 3) : std::numeric_limits<Real>::quiet_NaN();
    }
  }
  return reference::make_elements(dtype, values);
}

/// The places of the k greatest along `dim` of each line, as row-major numbers of the whole, in the result's order.
struct Wanted {
  Elements values, indices;
};
Wanted wanted_of(const Elements& elements, const Shape& shape, std::size_t dim, std::int64_t k) {
  std::int64_t inner = 1, outer = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) (d < dim ? outer : inner) *= d == dim ? 1 : shape[d];
  const std::int64_t n = shape[dim];
  const std::size_t size = size_of(elements.dtype());
  Wanted wanted{Elements(elements.dtype(), outer * k * inner), Elements(DType::u32, outer * k * inner)};
  for (std::int64_t o = 0; o < outer; ++o)
    for (std::int64_t i = 0; i < inner; ++i) {
      Elements row(elements.dtype(), n);
      for (std::int64_t e = 0; e < n; ++e) std::memcpy(row.at(e), elements.at((o * n + e) * inner + i), size);
      const auto places = reference::greatest_places(row, k);
      for (std::int64_t e = 0; e < k; ++e) {
        const std::uint32_t place = places[static_cast<std::size_t>(e)];
        std::memcpy(wanted.values.at((o * k + e) * inner + i), row.at(place), size);
        std::memcpy(wanted.indices.at((o * k + e) * inner + i), &place, sizeof place);
      }
    }
  return wanted;
}

void check(const Elements& storage, const View& view, std::int64_t k, std::int64_t dim) {
  const std::string what = "top_k of " + std::string(name_of(storage.dtype())) + " " +
                           view.layout.to_string() + ", k = " + std::to_string(k) +
                           ", dim = " + std::to_string(dim) + " (KERNELGEN_SEED=" + std::to_string(seed()) +
                           ")";
  const Tensor x = upload(storage).with_layout(view.layout);
  const auto rank = static_cast<std::int64_t>(view.layout.rank());
  const auto at = static_cast<std::size_t>(dim < 0 ? dim + rank : dim);
  const Indexed top = top_k(x, k, dim);
  Shape shape = view.layout.shape;
  shape[at] = k;
  ASSERT_EQ(top.values.shape(), shape) << what;
  ASSERT_EQ(top.indices.shape(), shape) << what;
  ASSERT_EQ(top.values.dtype(), storage.dtype()) << what;
  const Wanted wanted = wanted_of(gather(storage, view.layout), view.layout.shape, at, k);
  const Elements values = download(top.values), indices = download(top.indices);
  for (std::int64_t i = 0; i < values.count(); ++i) {
    ASSERT_EQ(bits_at(indices, i), bits_at(wanted.indices, i)) << what << ", element " << i;
    ASSERT_EQ(bits_at(values, i), bits_at(wanted.values, i)) << what << ", element " << i;
  }
}

void check(DType dtype, Order order, const Shape& shape, std::int64_t k, std::int64_t dim = -1,
           Kind kind = Kind::contiguous) {
  const View view = make_view(kind, shape);
  check(make(dtype, order, view.storage), view, k, dim);
}

/// Around the ends of what networks, pairs of all elements, entries kept and searches take.
void test_lengths(DType dtype) {
  for (const std::int64_t n : {1, 2, 3, 8, 31, 33, 64, 65, 96, 97, 255, 257, 1000, 1025, 2049, 4097, 10007})
    for (const std::int64_t k : {std::int64_t{1}, std::int64_t{2}, n / 20, n / 3, n - 1, n}) {
      if (k < 0 || k > n) continue;
      for (const Order order : {Order::special, Order::few}) check(dtype, order, {n > 300 ? 2 : 5, n}, k);
      if (testing::Test::HasFailure()) return;
    }
  for (const Order order : orders)
    for (const std::int64_t k : {1, 17, 300, 1500, 4999}) {
      check(dtype, order, {5000}, k);
      check(dtype, order, {70}, std::min<std::int64_t>(k, 70));
      if (testing::Test::HasFailure()) return;
    }
}

void test_rows(DType dtype) {
  for (const Shape& shape : {Shape{1000, 3}, Shape{3001, 8}, Shape{77, 13}, Shape{515, 1}, Shape{3, 5, 2, 7}})
    check(dtype, Order::few, shape, shape[shape.size() - 1] / 2 + 1);
  for (const std::int64_t k : {1, 8, 9, 20}) check(dtype, Order::few, {3001, 70}, k);
  for (const std::int64_t k : {1, 40, 700}) check(dtype, Order::special, {300, 5000}, k);
}

/// Rows that many blocks share.
void test_long(DType dtype) {
  for (const Order order : orders)
    for (const std::int64_t k : {1, 50, 5000, 30000, 70000}) {
      check(dtype, order, {70000}, k);
      if (testing::Test::HasFailure()) return;
    }
  for (const std::int64_t k : {7, 9001}) check(dtype, Order::special, {2, 100003}, k);
  check(dtype, Order::random, {300001}, 40000);
}

void test_layouts(DType dtype) {
  for (const Shape& shape : {Shape{37}, Shape{13, 17}, Shape{2, 3, 4, 40}, Shape{3, 1, 1}})
    for (const Kind kind : strided_kinds)
      for (std::int64_t dim = 0; dim < static_cast<std::int64_t>(shape.size()); ++dim) {
        check(dtype, Order::special, shape, (shape[static_cast<std::size_t>(dim)] + 1) / 2, dim, kind);
        if (testing::Test::HasFailure()) return;
      }
  check(dtype, Order::random, {3, 5000}, 33, 1, Kind::transposed);
  check(dtype, Order::random, {5000, 3}, 1033, 0);
  check(dtype, Order::random, {3, 5000}, 33, -1, Kind::offset);
}

void test_empty(DType dtype) {
  const auto shape_of = [&](const Shape& shape, std::int64_t k, std::int64_t dim) {
    const Indexed top = top_k(Tensor::zeros(device(), shape, dtype), k, dim);
    EXPECT_EQ(top.values.shape(), top.indices.shape());
    EXPECT_EQ(top.values.dtype(), dtype);
    EXPECT_EQ(top.indices.dtype(), DType::u32);
    return top.values.shape();
  };
  EXPECT_EQ(shape_of({0}, 0, 0), Shape{0});
  EXPECT_EQ(shape_of({3, 4}, 0, 1), (Shape{3, 0}));
  EXPECT_EQ(shape_of({3, 4}, 0, 0), (Shape{0, 4}));
  EXPECT_EQ(shape_of({0, 5}, 2, 1), (Shape{0, 2}));
  EXPECT_EQ(shape_of({5, 0}, 2, 0), (Shape{2, 0}));
}

/// Where there is no NaN: the first of what is sorted.
void test_beside_sort(DType dtype) {
  for (const std::int64_t n : {60, 3000, 80000}) {
    const Tensor x = upload(make(dtype, Order::few, n));
    const Indexed sorted = sort(x, false);
    const std::int64_t k = n / 3;
    const Indexed top = top_k(x, k);
    EXPECT_EQ(download(top.values).bytes(), download(sorted.values.narrow(0, 0, k)).bytes()) << n;
    EXPECT_EQ(download(top.indices).bytes(), download(sorted.indices.narrow(0, 0, k)).bytes()) << n;
  }
}

/// Between elements that must stay as they are.
void test_into_out(DType dtype) {
  for (const std::int64_t n : {7, 300, 9000, 80000})
    for (const bool in_columns : {false, true}) {
      const std::int64_t k = n / 3;
      const Elements elements = make(dtype, Order::special, n);
      Elements wanted_values = poison(dtype, k + 4), wanted_places = poison(DType::u32, k + 4);
      const Tensor whole_values = upload(wanted_values), whole_places = upload(wanted_places);
      const Shape shape = in_columns ? Shape{k, 1} : Shape{1, k};
      Layout layout = Layout::contiguous(shape);
      layout.offset = 2;
      const Tensor values = whole_values.with_layout(layout), places = whole_places.with_layout(layout);
      const Wanted wanted = wanted_of(elements, {n}, 0, k);
      std::memcpy(wanted_values.at(2), wanted.values.at(0), wanted.values.bytes().size());
      std::memcpy(wanted_places.at(2), wanted.indices.at(0), wanted.indices.bytes().size());
      const Tensor x = upload(elements).reshape(in_columns ? Shape{n, 1} : Shape{1, n});
      const Indexed top = top_k(x, k, in_columns ? 0 : 1, {.values = &values, .indices = &places});
      EXPECT_EQ(top.values.data(), values.data());
      EXPECT_EQ(top.indices.data(), places.data());
      EXPECT_EQ(download(whole_values).bytes(), wanted_values.bytes());
      EXPECT_EQ(download(whole_places).bytes(), wanted_places.bytes());
    }
}

}  // namespace

void register_top_k_tests() {
  for (const DType dtype : all_dtypes) {
    const std::string types(name_of(dtype));
    register_test("top_k", types, [dtype] {
      test_lengths(dtype);
      test_rows(dtype);
      test_layouts(dtype);
      test_empty(dtype);
      test_beside_sort(dtype);
      test_into_out(dtype);
    });
    register_test("top_k_long", types, [dtype] { test_long(dtype); });
  }
}

}  // namespace kernelgen::conformance
