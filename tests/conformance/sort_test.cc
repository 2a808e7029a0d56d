// arg_sort and sort, of rows of every length that has its own code path.
#include "reference/sort.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "environment.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// What rows look like before they are sorted.
enum class Order { special, random, repeated, equal, rising, falling, nans };
constexpr std::pair<Order, std::string_view> orders[] = {
    {Order::special, "specials"},      {Order::random, "random patterns"},
    {Order::repeated, "a few values"}, {Order::equal, "one value"},
    {Order::rising, "sorted"},         {Order::falling, "sorted the other way"},
    {Order::nans, "mostly NaN"},
};

Elements reorder(const Elements& row, std::span<const std::uint32_t> places) {
  Elements result(row.dtype(), row.count());
  for (std::size_t i = 0; i < places.size(); ++i)
    std::memcpy(result.at(static_cast<std::int64_t>(i)), row.at(places[i]), size_of(row.dtype()));
  return result;
}

Elements make(DType dtype, Order order, std::int64_t count) {
  const Elements random = random_patterns(dtype, count, 31);
  std::vector<Real> values(static_cast<std::size_t>(count));
  switch (order) {
    case Order::special:
      return repeat(pool(dtype), 5, count);
    case Order::random:
      return random;
    case Order::rising:
    case Order::falling:
      return reorder(random, reference::sorted_places(random, order == Order::rising));
    case Order::repeated:
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Real>(random_bits(i) % 3);
      break;
    case Order::nans:
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = i % 7 == 3 ? Real{1} : std::numeric_limits<Real>::quiet_NaN();
      break;
    case Order::equal:
      std::ranges::fill(values, Real{1});
  }
  return reference::make_elements(dtype, values);
}

/// Sorts a view both ways and compares every place and every bit.
void check(const std::string& what, const Elements& storage, const View& view) {
  const Tensor x = upload(storage).with_layout(view.layout);
  const Elements elements = gather(storage, view.layout);
  const std::int64_t n = view.layout.shape.back();
  for (const bool ascending : {true, false}) {
    const Tensor places = arg_sort(x, ascending);
    const Indexed sorted = sort(x, ascending);
    ASSERT_EQ(places.shape(), view.layout.shape) << what;
    ASSERT_EQ(sorted.values.shape(), view.layout.shape) << what;
    const Elements got = download(places), got_values = download(sorted.values);
    EXPECT_EQ(got.bytes(), download(sorted.indices).bytes()) << what;
    for (std::int64_t first = 0; first < elements.count(); first += n) {
      const Elements row = slice(elements, first, n);
      const std::vector<std::uint32_t> wanted = reference::sorted_places(row, ascending);
      const Elements wanted_values = reorder(row, wanted);
      for (std::int64_t i = 0; i < n; ++i) {
        const std::string where = what + ", " + view.layout.to_string() +
                                  (ascending ? ", ascending" : ", descending") + ", element " +
                                  std::to_string(first + i);
        ASSERT_EQ(bits_at(got, first + i), wanted[static_cast<std::size_t>(i)]) << where;
        ASSERT_EQ(bits_at(got_values, first + i), bits_at(wanted_values, i)) << where;
      }
    }
  }
}

void check(DType dtype, Order order, const Shape& shape, Kind kind = Kind::contiguous) {
  const View view = make_view(kind, shape);
  const auto* const named = std::ranges::find(orders, order, [](const auto& each) { return each.first; });
  check(std::string(name_of(dtype)) + ", " + std::string(named->second), make(dtype, order, view.storage),
        view);
}

void test_lengths(DType dtype) {
  for (const std::int64_t n :
       {1, 2, 3, 8, 9, 16, 17, 31, 32, 33, 63, 64, 65, 95, 96, 97, 255, 256, 257, 1000})
    for (const auto& [order, name] : orders) check(dtype, order, {n > 100 ? 2 : 5, n});
  for (const std::int64_t n : {1023, 1024, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 10007})
    for (const Order order : {Order::special, Order::random}) check(dtype, order, {2, n});
  for (const auto& [order, name] : orders) check(dtype, order, {5000});
}

void test_rows(DType dtype) {
  // Several rows a block, and a last block that is not full.
  for (const Shape& shape : {Shape{1000, 3}, Shape{77, 13}, Shape{19, 128}, Shape{515, 1}, Shape{3, 5, 2, 7}})
    check(dtype, Order::repeated, shape);
  check(dtype, Order::special, {23, 5000});
}

void test_long(DType dtype) {
  for (const Order order : {Order::special, Order::repeated}) check(dtype, order, {70000});
  if (dtype == DType::f32) check(dtype, Order::random, {2, 66000});
}

void test_layouts(DType dtype) {
  for (const Shape& shape : {Shape{37}, Shape{13, 17}, Shape{2, 3, 4, 40}, Shape{3, 1, 1}})
    for (const Kind kind : strided_kinds) check(dtype, Order::special, shape, kind);
  check(dtype, Order::random, {3, 5000}, Kind::transposed);
  check(dtype, Order::random, {3, 5000}, Kind::offset);
}

void test_empty(DType dtype) {
  for (const Shape& shape : {Shape{0}, Shape{3, 0}, Shape{0, 5}}) {
    const Tensor x = Tensor::zeros(device(), shape, dtype);
    EXPECT_EQ(arg_sort(x).shape(), shape);
    EXPECT_EQ(arg_sort(x).dtype(), DType::u32);
    const Indexed sorted = sort(x, false);
    EXPECT_EQ(sorted.values.dtype(), dtype);
    EXPECT_EQ(sorted.indices.shape(), shape);
  }
}

/// Between elements that must stay as they are.
void test_into_out(DType dtype) {
  for (const std::int64_t n : {7, 300, 5000}) {
    const Elements row = make(dtype, Order::special, n);
    Elements wanted_values = poison(dtype, n + 4), wanted_places = poison(DType::u32, n + 4);
    const Tensor whole_values = upload(wanted_values), whole_places = upload(wanted_places);
    const Tensor values = whole_values.with_layout({{n}, {1}, 2});
    const Tensor places = whole_places.with_layout({{n}, {1}, 2});
    const std::vector<std::uint32_t> order = reference::sorted_places(row, true);
    std::memcpy(wanted_places.at(2), order.data(), order.size() * 4);
    std::memcpy(wanted_values.at(2), reorder(row, order).at(0), row.bytes().size());
    const Tensor x = upload(row);
    EXPECT_EQ(arg_sort(x, true, {.out = &places}).data(), places.data());
    EXPECT_EQ(download(whole_places).bytes(), wanted_places.bytes());
    const Indexed sorted = sort(x, true, {.values = &values, .indices = &places});
    EXPECT_EQ(sorted.values.data(), values.data());
    EXPECT_EQ(download(whole_values).bytes(), wanted_values.bytes());
    EXPECT_EQ(download(whole_places).bytes(), wanted_places.bytes());
  }
}

}  // namespace

void register_sort_tests() {
  for (const DType dtype : all_dtypes) {
    const std::string types(name_of(dtype));
    register_test("sort", types, [dtype] {
      test_lengths(dtype);
      test_rows(dtype);
      test_layouts(dtype);
      test_empty(dtype);
      test_into_out(dtype);
    });
    register_test("sort_long", types, [dtype] { test_long(dtype); });
  }
}

}  // namespace kernelgen::conformance
