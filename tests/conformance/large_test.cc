// More than 2^32 elements: 9 to 40 GB on the device, so only with KERNELGEN_LARGE=1.
#include <gtest/gtest.h>

#include <array>

#include "environment.hpp"
#include "inputs.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

constexpr std::int64_t large_count = (std::int64_t{1} << 32) + 5;
constexpr std::int64_t piece = 1 << 26;

/// Element i of the large tensors; its period is a prime, so a wrapped index is seen.
std::uint8_t element(std::int64_t i) { return static_cast<std::uint8_t>(i % 251); }

/// Calls visit(first, count) for the pieces that a large tensor is handled in.
template <class F>
void each_piece(F&& visit) {
  for (std::int64_t first = 0; first < large_count; first += piece)
    visit(first, std::min(piece, large_count - first));
}

Tensor make_large() {
  const Tensor x = Tensor::empty(device(), {large_count}, DType::u8);
  each_piece([&](std::int64_t first, std::int64_t count) {
    Elements part(DType::u8, count);
    for (std::int64_t i = 0; i < count; ++i)
      part.as<std::uint8_t>()[static_cast<std::size_t>(i)] = element(first + i);
    copy_into(x.narrow(0, first, count), upload(part));
  });
  return x;
}

template <class F>
void expect_large(const Tensor& y, F&& wanted) {
  ASSERT_EQ(y.elements(), large_count);
  std::int64_t wrong = 0;
  each_piece([&](std::int64_t first, std::int64_t count) {
    const Elements part = download(y.narrow(0, first, count));
    for (std::int64_t i = 0; i < count; ++i) {
      if (part.as<std::uint8_t>()[static_cast<std::size_t>(i)] == wanted(first + i)) continue;
      if (wrong++ == 0) ADD_FAILURE() << "element " << first + i << " is " << reference::describe(part, i);
    }
  });
  EXPECT_EQ(wrong, 0) << "of " << large_count << " elements";
}

void test_copy() { expect_large(copy(make_large()), element); }

void test_affine() {
  expect_large(affine(make_large(), 3, 1),
               [](std::int64_t i) { return static_cast<std::uint8_t>(element(i) * 3 + 1); });
}

constexpr std::array<std::uint8_t, 5> row{7, 11, 13, 17, 19};
constexpr std::int64_t rows = large_count / 5 + 1;

/// A row of five elements, repeated along a first dim of more than 2^29.
Tensor repeated(const std::array<std::uint8_t, 5>& values) {
  return Tensor::from_host(device(), std::as_bytes(std::span(values)), {1, 5}, DType::u8)
      .broadcast_to({rows, 5});
}

/// Looks at some of y's rows of `size`: the first, and about 2^31 and 2^32 elements on, and the last.
template <class T>
void expect_rows(const Tensor& y, std::int64_t count, std::size_t size, const std::vector<T>& wanted) {
  ASSERT_EQ(y.elements(), count * static_cast<std::int64_t>(size));
  constexpr std::int64_t some = 1000;
  const std::int64_t wide = static_cast<std::int64_t>(size);
  for (const std::int64_t first : {std::int64_t{0}, (std::int64_t{1} << 31) / wide - some / 2,
                                   (std::int64_t{1} << 32) / wide - some / 2, count - some}) {
    if (first < 0 || first + some > count) continue;
    const Elements part = download(y.narrow(0, first, some));
    for (std::size_t i = 0; i < static_cast<std::size_t>(some) * size; ++i)
      ASSERT_EQ(part.as<T>()[i], wanted[i % size]) << "row " << first + static_cast<std::int64_t>(i / size);
  }
}

void test_broadcast() { expect_rows<std::uint8_t>(neg(repeated(row)), rows, 5, {249, 245, 243, 239, 237}); }

void test_reduce() {
  const std::array<std::int64_t, 1> across{1}, down{0};
  const Tensor x = repeated(row);
  expect_rows<std::uint8_t>(sum(x, across), rows, 1, {67});
  expect_rows<std::uint32_t>(argmax(x, 1), rows, 1, {4});
  const Elements sums = download(sum(x, down));
  for (std::size_t i = 0; i < row.size(); ++i)
    EXPECT_EQ(sums.as<std::uint8_t>()[i], static_cast<std::uint8_t>(rows * row[i])) << "column " << i;
}

void test_gather() {
  expect_rows<std::uint8_t>(gather(repeated(row), 1, repeated({4, 3, 2, 255, 0})), rows, 5,
                            {19, 17, 13, 0, 7});
}

void test_sort() {
  expect_rows<std::uint8_t>(sort(repeated({3, 9, 1, 9, 0}), false).values, rows, 5, {9, 9, 3, 1, 0});
}

void test_pool() {
  const Tensor images = repeated(row).reshape({1, rows, 1, 5});
  expect_rows<std::uint8_t>(max_pool2d(images, {1, 2}, {1, 1}).reshape({rows, 4}), rows, 4, {11, 13, 17, 19});
}

}  // namespace

void register_large_tests() {
  const auto add = [](const char* operation, void (*body)()) {
    register_test(operation, "u8_over_4Gi", [body] {
      if (!large()) GTEST_SKIP() << "more than 2^32 elements, 9 to 40 GB: with KERNELGEN_LARGE=1 only";
      body();
    });
  };
  add("copy", test_copy);
  add("affine", test_affine);
  add("broadcast", test_broadcast);
  add("reduce", test_reduce);
  add("gather", test_gather);
  add("sort", test_sort);
  add("max_pool2d", test_pool);
}

}  // namespace kernelgen::conformance
