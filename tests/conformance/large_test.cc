// More than 2^32 elements: about 9 GB on the device, so only with KERNELGEN_LARGE=1.
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

/// Strided reading: five elements, repeated along a first dim of more than 2^29.
void test_broadcast() {
  const std::array<std::uint8_t, 5> row{7, 11, 13, 17, 19};
  const std::int64_t rows = large_count / 5 + 1;
  const Tensor x = Tensor::from_host(device(), std::as_bytes(std::span(row)), {1, 5}, DType::u8);
  const Tensor y = neg(x.broadcast_to({rows, 5}));
  ASSERT_EQ(y.elements(), rows * 5);
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1} << 29, rows - 1000}) {
    const Elements part = download(y.narrow(0, first, 1000));
    for (std::size_t i = 0; i < 5000; ++i)
      ASSERT_EQ(part.as<std::uint8_t>()[i], static_cast<std::uint8_t>(-row[i % 5]))
          << "row " << first + static_cast<std::int64_t>(i) / 5;
  }
}

}  // namespace

void register_large_tests() {
  const auto add = [](const char* operation, void (*body)()) {
    register_test(operation, "u8_over_4Gi", [body] {
      if (!large()) GTEST_SKIP() << "more than 2^32 elements, about 9 GB: with KERNELGEN_LARGE=1 only";
      body();
    });
  };
  add("copy", test_copy);
  add("affine", test_affine);
  add("broadcast", test_broadcast);
}

}  // namespace kernelgen::conformance
