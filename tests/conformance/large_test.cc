// More than 2^32 elements: 5 to 40 GB on the device, so only with KERNELGEN_LARGE=1.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

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

/// Element i is value(i), as bits.
template <class F>
Tensor make_large(DType dtype, F&& value) {
  const Tensor x = Tensor::empty(device(), {large_count}, dtype);
  each_piece([&](std::int64_t first, std::int64_t count) {
    Elements part(dtype, count);
    for (std::int64_t i = 0; i < count; ++i) *part.at(i) = static_cast<std::byte>(value(first + i));
    copy_into(x.narrow(0, first, count), upload(part));
  });
  return x;
}
Tensor make_large() { return make_large(DType::u8, element); }

template <class F>
void expect_large(const Tensor& y, F&& wanted) {
  ASSERT_EQ(y.elements(), large_count);
  std::int64_t wrong = 0;
  each_piece([&](std::int64_t first, std::int64_t count) {
    const Elements part = download(y.narrow(0, first, count));
    for (std::int64_t i = 0; i < count; ++i) {
      if (*part.at(i) == static_cast<std::byte>(wanted(first + i))) continue;
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

/// Rows side by side, and a row of which indices count every element.
void test_top_k() {
  const Indexed top = top_k(repeated({3, 9, 1, 9, 0}), 2);
  expect_rows<std::uint8_t>(top.values, rows, 2, {9, 9});
  expect_rows<std::uint32_t>(top.indices, rows, 2, {1, 3});
  const std::int64_t count = (std::int64_t{1} << 32) - 1;
  const Tensor x = make_large(DType::u8, [](std::int64_t i) {
    return static_cast<std::uint8_t>(
        i == 7 || i == (std::int64_t{1} << 31) + 3 || i >= (std::int64_t{1} << 32) - 3 ? 255 : i % 251);
  });
  const Indexed last = top_k(x.narrow(0, 0, count), 5);
  const Elements places = download(last.indices);
  const std::uint32_t wanted[] = {7, (1u << 31) + 3, 4294967293u, 4294967294u, 250};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(places.as<std::uint32_t>()[i], wanted[i]) << i;
  const Elements values = download(last.values);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(values.as<std::uint8_t>()[i], i < 4 ? 255 : 250) << i;
}

void test_extremes() {
  const Indexed found = max_with_index(repeated({3, 9, 1, 9, 0}), 1);
  expect_rows<std::uint8_t>(found.values, rows, 1, {9});
  expect_rows<std::uint32_t>(found.indices, rows, 1, {1});
  const Tensor x = make_large();
  const std::int64_t place = (std::int64_t{1} << 32) - 9;
  const_set(x.narrow(0, place, 1), 255);
  const Indexed all = max_with_index(x.narrow(0, 0, (std::int64_t{1} << 32) - 1), std::nullopt);
  EXPECT_EQ(download(all.indices).as<std::uint32_t>()[0], static_cast<std::uint32_t>(place));
  EXPECT_EQ(download(all.values).as<std::uint8_t>()[0], 255);
}

/// Along one row of all, and down columns.
void test_cumsum() {
  const Tensor x = make_large();
  const auto sum_to = [](std::int64_t i) {  // of elements 0 … i
    const std::int64_t whole = (i + 1) / 251, rest = (i + 1) % 251;
    return static_cast<std::uint8_t>(whole * (251 * 125) + rest * (rest - 1) / 2);
  };
  expect_large(cumsum(x, 0, {.out = &x}), sum_to);
  const Tensor ones = make_large(DType::u8, [](std::int64_t) { return std::uint8_t{1}; });
  const Tensor columns = ones.narrow(0, 0, large_count / 3 * 3).reshape({large_count / 3, 3});
  cumsum(columns, 0, {.out = &columns});
  for (const std::int64_t line : {std::int64_t{0}, (std::int64_t{1} << 32) / 3, large_count / 3 - 1}) {
    const Elements got = download(columns.narrow(0, line, 1));
    for (std::size_t c = 0; c < 3; ++c)
      EXPECT_EQ(got.as<std::uint8_t>()[c], static_cast<std::uint8_t>(line + 1)) << line;
  }
}

void test_pool() {
  const Tensor images = repeated(row).reshape({1, rows, 1, 5});
  expect_rows<std::uint8_t>(max_pool2d(images, {1, 2}, {1, 1}).reshape({rows, 4}), rows, 4, {11, 13, 17, 19});
}

/// Values that a row of f8e4m3 has in turn, or what an operation makes of them. Results are at least a tenth of their
/// spacing away from where f8e4m3 rounds the other way: sums in f32 do not change them.
using Five = std::array<double, 5>;

std::array<std::uint8_t, 5> as_bits(const Five& values) {
  std::array<std::uint8_t, 5> bits{};
  for (std::size_t k = 0; k < values.size(); ++k) Scalar(values[k]).store(DType::f8e4m3, &bits[k]);
  return bits;
}

Tensor make_row(const Five& values) {
  return make_large(DType::f8e4m3, [bits = as_bits(values)](std::int64_t i) {
    return bits[static_cast<std::size_t>(i % 5)];
  });
}

void expect_row(const Tensor& y, const Five& values) {
  expect_large(y, [bits = as_bits(values)](std::int64_t i) { return bits[static_cast<std::size_t>(i % 5)]; });
}

/// The mean of f over the row's elements.
template <class F>
double row_mean(const Five& values, F&& f) {
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto offset = static_cast<std::int64_t>(k);
    sum += f(values[k]) * static_cast<double>((large_count - offset + 4) / 5);
  }
  return sum / static_cast<double>(large_count);
}

template <class F>
Five each(const Five& values, F&& f) {
  Five results;
  for (std::size_t k = 0; k < values.size(); ++k) results[k] = f(values[k]);
  return results;
}

/// Four elements, some of them where 32 bits and 31 do not reach, share all of the probability.
void test_softmax() {
  constexpr std::array<std::int64_t, 4> tops{3, (std::int64_t{1} << 31) + 7, (std::int64_t{1} << 32) + 2,
                                             large_count - 1};
  const Tensor x = make_row({-448, -448, -448, -448, -448});
  for (const std::int64_t top : tops) const_set(x.narrow(0, top, 1), 0);
  softmax(x, {.out = &x});
  const auto bits = as_bits({0, 0.25});
  expect_large(
      x, [&](std::int64_t i) { return bits[std::find(tops.begin(), tops.end(), i) != tops.end() ? 1 : 0]; });
}

void test_log_softmax() {
  const Five values{0, -2, -4, -6, -8};
  const double sum =
      row_mean(values, [](double v) { return std::exp(v); }) * static_cast<double>(large_count);
  const Tensor x = make_row(values);
  log_softmax(x, {.out = &x});
  expect_row(x, each(values, [&](double v) { return v - std::log(sum); }));
}

/// x is the weight, and the bias, as well: one tensor is as much as most machines hold.
void test_rms_norm() {
  const Five values{1, 2, 3, 4, 5};
  const double scale = 1 / std::sqrt(row_mean(values, [](double v) { return v * v; }));
  const Tensor x = make_row(values);
  rms_norm(x, x, 0, {.out = &x});
  expect_row(x, each(values, [&](double v) { return v * scale * v; }));
}

void test_layer_norm() {
  const Five values{1, 2, 3, 4, 5};
  const double mean = row_mean(values, [](double v) { return v; });
  const double scale = 1 / std::sqrt(row_mean(values, [&](double v) { return (v - mean) * (v - mean); }));
  const Tensor x = make_row(values);
  layer_norm(x, x, x, 0, {.out = &x});
  expect_row(x, each(values, [&](double v) { return (v - mean) * scale * v + v; }));
}

constexpr std::int64_t block_rows = (std::int64_t{1} << 27) + 3;

/// Element k of row r of the quantized table, whose rows are a block each.
int table_element(std::int64_t r, std::int64_t k) { return static_cast<int>((7 * r + k) % 251) - 125; }

Tensor make_table() {
  constexpr std::int64_t n = 32, size = 34, some = 1 << 20;
  const Tensor table = Tensor::empty(device(), {block_rows, n}, DType::q8_0);
  for (std::int64_t first = 0; first < block_rows; first += some) {
    const std::int64_t count = std::min(some, block_rows - first);
    std::vector<std::byte> blocks(static_cast<std::size_t>(count * size));
    for (std::int64_t r = 0; r < count; ++r) {
      std::byte* const block = blocks.data() + r * size;
      block[1] = std::byte{0x3c};  // a step of 1
      for (std::int64_t k = 0; k < n; ++k) block[2 + k] = static_cast<std::byte>(table_element(first + r, k));
    }
    copy_into(table.narrow(0, first, count), Tensor::from_host(device(), blocks, {count, n}, DType::q8_0));
  }
  return table;
}

/// A table of more than 2^32 elements and bytes: rows of it, all of them, and its product with a vector.
void test_quantized() {
  const Tensor table = make_table();
  const std::array<std::int64_t, 6> places{
      0,         (std::int64_t{1} << 26) - 1, (std::int64_t{1} << 26) + 1,
      126322568, (std::int64_t{1} << 27) + 1, block_rows - 1};
  const Tensor ids = Tensor::from_host(device(), std::as_bytes(std::span(places)), {6}, DType::i64);
  std::vector<Real> unit(32);
  unit[5] = 127;
  const Tensor products =
      quantized_matmul(upload(reference::make_elements(DType::f32, unit)).reshape({1, 32}), table);
  const Elements chosen = download(get_rows(table, ids, DType::f32));
  const Tensor all = dequantize(table, DType::bf16);
  for (std::int64_t i = 0; i < 6; ++i) {
    const std::int64_t r = places[static_cast<std::size_t>(i)];
    const Elements row = download(all.narrow(0, r, 1));
    for (std::int64_t k = 0; k < 32; ++k) {
      ASSERT_EQ(real_at(chosen, 32 * i + k), table_element(r, k)) << "row " << r;
      ASSERT_EQ(real_at(row, k), table_element(r, k)) << "row " << r;
    }
    ASSERT_NEAR(static_cast<double>(real_at(download(products.narrow(1, r, 1)), 0)),
                127 * table_element(r, 5), 0.01)
        << "row " << r;
  }
}

}  // namespace

void register_large_tests() {
  const auto add = [](const char* operation, void (*body)(), const char* name = "u8_over_4Gi") {
    register_test(operation, name, [body] {
      if (!large()) GTEST_SKIP() << "more than 2^32 elements, 5 to 40 GB: with KERNELGEN_LARGE=1 only";
      body();
    });
  };
  constexpr const char* row_name = "row_over_4Gi";
  add("softmax", test_softmax, row_name);
  add("log_softmax", test_log_softmax, row_name);
  add("rms_norm", test_rms_norm, row_name);
  add("layer_norm", test_layer_norm, row_name);
  add("copy", test_copy);
  add("affine", test_affine);
  add("broadcast", test_broadcast);
  add("reduce", test_reduce);
  add("gather", test_gather);
  add("sort", test_sort);
  add("top_k", test_top_k);
  add("max_with_index", test_extremes);
  add("cumsum", test_cumsum);
  add("max_pool2d", test_pool);
  add("quantized_matmul", test_quantized, "q8_0_over_4Gi");
}

}  // namespace kernelgen::conformance
