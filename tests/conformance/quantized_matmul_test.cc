// quantized_matmul and indexed_matmul: products with quantized weights, within the error bound of quantized activations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "environment.hpp"
#include "expect.hpp"
#include "quantized_case.hpp"
#include "reference/block_layout.hpp"
#include "reference/quantized_product.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::count_of;
using reference::Products;

/// Rows of numbers in [-1, 1), each row of another size, zeros and whole blocks of them in between.
Elements activations(DType dtype, std::int64_t count, std::uint64_t stream) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto k = static_cast<std::uint64_t>(i);
    const std::uint64_t block = random_bits(stream + k / 32), bits = random_bits(stream + 7919 * k + 3);
    const Real size = block % 7 == 0 ? 0 : std::ldexp(Real{1}, static_cast<int>(block / 8 % 9) - 4);
    values.push_back(bits % 11 == 0 ? 0 : size * (static_cast<Real>(bits) * 0x1p-63L - 1));
  }
  return reference::make_elements(dtype, values);
}

std::vector<float> floats(const Elements& elements) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < elements.count(); ++i)
    values.push_back(static_cast<float>(real_at(elements, i)));
  return values;
}

void add(Approximation& wanted, const Products& products) {
  for (std::size_t i = 0; i < products.value.size(); ++i)
    wanted.add(products.value[i], products.rounding[i] + products.quantizing[i]);
}

struct Matrix {
  RowKind kind;
  std::int64_t rows, n;
};

std::string text(const std::string& operation, DType format, const Shape& weights, RowKind kind, DType dtype,
                 const Shape& x, Kind x_kind) {
  return operation + " of " + std::string(name_of(dtype)) + " " + x.to_string() + ", " +
         std::string(name_of(x_kind)) + ", by " + std::string(name_of(format)) + " " + weights.to_string() +
         ", " + std::string(name_of(kind)) + " (KERNELGEN_SEED=" + std::to_string(seed()) + ")";
}

/// x of shape [outer…, n].
void check(DType format, const Matrix& m, DType dtype, Shape outer, Kind x_kind) {
  const BlockInput weights = make_block_input(m.kind, {m.rows, m.n}, moderate_blocks(format, 600, 29));
  Shape shape = outer;
  shape.push_back(m.n);
  const Input x = make_input(x_kind, shape, activations(dtype, 20000, 31));
  outer.push_back(m.rows);
  Approximation wanted;
  if (m.n > 0)
    add(wanted, reference::quantized_products(floats(x.elements), weights.values, m.n));
  else
    for (std::int64_t i = 0; i < count_of(outer); ++i) wanted.add(0, 0);
  expect_call(
      text("quantized_matmul", format, {m.rows, m.n}, m.kind, dtype, shape, x_kind), dtype, outer, wanted,
      [&](const CallOptions& options) { return quantized_matmul(x.tensor, weights.tensor, options); });
}

/// As many columns as paths differ in, and their neighbours.
void test_columns(DType format, DType dtype) {
  const std::int64_t n = block_elements(format);
  for (const std::int64_t columns : {1, 2, 3, 4, 5, 7, 8, 9, 17, 33, 64, 130, 514})
    for (const auto& [rows, blocks] :
         {std::pair<std::int64_t, std::int64_t>{37, 3}, {64, n == 32 ? 16 : 2}, {1, 5}}) {
      check(format, {RowKind::contiguous, rows, blocks * n}, dtype, {columns}, Kind::contiguous);
      if (testing::Test::HasFailure()) return;
    }
}

/// One block to many, and rows around the sides of tiles.
void test_sizes(DType format, DType dtype) {
  const std::int64_t n = block_elements(format);
  for (const std::int64_t columns : {1, 3, 8, 40})
    for (const std::int64_t rows : {1, 2, 3, 31, 32, 65, 129}) {
      check(format, {RowKind::contiguous, rows, n}, dtype, {columns}, Kind::contiguous);
      check(format, {RowKind::contiguous, rows, (n == 32 ? 9 : 3) * n}, dtype, {columns}, Kind::contiguous);
      if (testing::Test::HasFailure()) return;
    }
  for (const std::int64_t length : {std::int64_t{1024}, std::int64_t{4352}, std::int64_t{11008}})
    check(format, {RowKind::contiguous, 5, length}, dtype, {length < 5000 ? 2 : 1}, Kind::contiguous);
  check(format, {RowKind::contiguous, 5, 4096 + n}, dtype, {70}, Kind::contiguous);
  check(format, {RowKind::contiguous, 1000, n}, dtype, {1}, Kind::contiguous);
  check(format, {RowKind::contiguous, 300, 2 * n}, dtype, {200}, Kind::contiguous);
}

void test_layouts(DType format, DType dtype) {
  const std::int64_t n = block_elements(format);
  for (const RowKind kind : row_kinds)
    for (const Kind x_kind : strided_kinds) {
      check(format, {kind, 33, 3 * n}, dtype, {}, x_kind);
      check(format, {kind, 33, 3 * n}, dtype, {2, 3}, x_kind);
      check(format, {kind, 20, 2 * n}, dtype, {5, 1, 9}, x_kind);
      if (testing::Test::HasFailure()) return;
    }
}

void test_empty(DType format, DType dtype) {
  const std::int64_t n = block_elements(format);
  check(format, {RowKind::contiguous, 0, n}, dtype, {3}, Kind::contiguous);
  check(format, {RowKind::contiguous, 3, n}, dtype, {0}, Kind::contiguous);
  check(format, {RowKind::contiguous, 3, n}, dtype, {2, 0}, Kind::contiguous);
  check(format, {RowKind::contiguous, 3, 0}, dtype, {2}, Kind::contiguous);
  check(format, {RowKind::contiguous, 0, 0}, dtype, {0}, Kind::contiguous);
}

/// Activations far from 1, whose steps an f16 would not hold.
void test_magnitudes(DType format, DType dtype) {
  const std::int64_t n = block_elements(format);
  const BlockInput weights =
      make_block_input(RowKind::contiguous, {9, 2 * n}, moderate_blocks(format, 40, 37));
  for (const int exponent : {-100, -40, -20, -12, 10, 20, 40, 100}) {
    if (dtype == DType::f16 && (exponent < -12 || exponent > 10)) continue;
    for (const std::int64_t columns : {1, 4, 40}) {
      Elements values = activations(dtype, columns * 2 * n, 41);
      for (std::int64_t i = 0; i < values.count(); ++i)
        std::memcpy(values.at(i),
                    reference::make_scalar(dtype, std::ldexp(real_at(values, i), exponent)).at(0),
                    size_of(dtype));
      const Tensor x = upload(values).reshape({columns, 2 * n});
      Approximation wanted;
      add(wanted, reference::quantized_products(floats(values), weights.values, 2 * n));
      expect_call(text("quantized_matmul", format, {9, 2 * n}, RowKind::contiguous, dtype, {columns, 2 * n},
                       Kind::contiguous) +
                      " times 2^" + std::to_string(exponent),
                  dtype, {columns, 9}, wanted,
                  [&](const CallOptions& options) { return quantized_matmul(x, weights.tensor, options); });
    }
  }
}

/// Scales of blocks near both ends of f32, and activations that bring results back to its middle: none of the products of
/// scales and sums in between overflows.
void test_block_scales(DType format, DType dtype) {
  if ((format != DType::mxfp4 && format != DType::q8_K) || dtype == DType::f16) return;
  const std::int64_t n = block_elements(format), rows = 9;
  for (const int exponent : {118, 80, -100}) {
    Elements blocks = moderate_blocks(format, 2 * rows, 67);
    const float step = std::ldexp(1.0f, exponent);
    for (std::int64_t b = 0; b < blocks.count(); ++b) reference::write_step(format, blocks.at(b), step);
    const BlockInput weights = make_block_input(RowKind::contiguous, {rows, 2 * n}, blocks);
    for (const std::int64_t columns : {1, 4, 9, 40}) {
      Elements values = activations(dtype, columns * 2 * n, 41);
      for (std::int64_t i = 0; i < values.count(); ++i)
        std::memcpy(values.at(i),
                    reference::make_scalar(dtype, std::ldexp(real_at(values, i), 12 - exponent)).at(0),
                    size_of(dtype));
      const Tensor x = upload(values).reshape({columns, 2 * n});
      Approximation wanted;
      add(wanted, reference::quantized_products(floats(values), weights.values, 2 * n));
      expect_call(text("quantized_matmul", format, {rows, 2 * n}, RowKind::contiguous, dtype,
                       {columns, 2 * n}, Kind::contiguous) +
                      ", steps of 2^" + std::to_string(exponent),
                  dtype, {columns, rows}, wanted,
                  [&](const CallOptions& options) { return quantized_matmul(x, weights.tensor, options); });
    }
  }
}

/// A NaN makes all products of its row NaN, an infinity none of them finite, and both leave those of others alone.
void test_specials(DType format, DType dtype) {
  const std::int64_t n = block_elements(format), length = 3 * n, rows = 35;
  const BlockInput weights =
      make_block_input(RowKind::contiguous, {rows, length}, moderate_blocks(format, 200, 43));
  for (const Real special : {std::numeric_limits<Real>::quiet_NaN(), std::numeric_limits<Real>::infinity(),
                             -std::numeric_limits<Real>::infinity()})
    for (const std::int64_t columns : {1, 3, 8, 70})
      for (const std::int64_t place : {std::int64_t{0}, n + 1, length - 1}) {
        const std::int64_t spoilt = columns / 2;
        Elements values = activations(dtype, columns * length, 47);
        std::memcpy(values.at(spoilt * length + place), reference::make_scalar(dtype, special).at(0),
                    size_of(dtype));
        const Elements got =
            download(quantized_matmul(upload(values).reshape({columns, length}), weights.tensor));
        const std::string what = text("quantized_matmul", format, {rows, length}, RowKind::contiguous, dtype,
                                      {columns, length}, Kind::contiguous) +
                                 ", element " + std::to_string(place) + " is " + std::to_string(special);
        for (std::int64_t i = 0; i < got.count(); ++i) {
          const Real value = real_at(got, i);
          const bool is_right = i / rows != spoilt    ? std::isfinite(value)
                                : std::isnan(special) ? std::isnan(value)
                                                      : !std::isfinite(value);
          ASSERT_TRUE(is_right) << what << ": product " << i << " is " << describe(got, i);
        }
      }
}

struct Experts {
  std::int64_t experts, rows, blocks, tokens, chosen;
  bool shared;  ///< one row of x for all of a token's experts
};

void check_experts(DType format, DType dtype, const Experts& e, RowKind kind, Kind x_kind, Kind ids_kind,
                   DType ids_dtype) {
  const std::int64_t n = e.blocks * block_elements(format);
  const BlockInput weights = make_block_input(kind, {e.experts, e.rows, n}, moderate_blocks(format, 700, 53));
  const Shape shape{e.tokens, e.shared ? 1 : e.chosen, n};
  const Input x = make_input(x_kind, shape, activations(dtype, 20000, 59));
  std::vector<Real> numbers;
  for (std::uint64_t i = 0; i < 500; ++i) {
    const std::uint64_t bits = random_bits(61 + i);
    numbers.push_back(bits % 13 == 0 ? std::numeric_limits<Real>::infinity()  // the largest there is
                                     : static_cast<Real>(bits / 13 % static_cast<std::uint64_t>(e.experts)));
  }
  const Input ids = make_input(ids_kind, {e.tokens, e.chosen}, reference::make_elements(ids_dtype, numbers));
  const std::vector<float> values = floats(x.elements);
  Approximation wanted;
  for (std::int64_t pair = 0; pair < e.tokens * e.chosen; ++pair) {
    const Real expert = real_at(ids.elements, pair);
    if (expert >= static_cast<Real>(e.experts)) {
      for (std::int64_t r = 0; r < e.rows; ++r) wanted.add(0, 0);
      continue;
    }
    const auto row = static_cast<std::size_t>((e.shared ? pair / e.chosen : pair) * n);
    const auto first = static_cast<std::size_t>(static_cast<std::int64_t>(expert) * e.rows * n);
    const Products products = reference::quantized_products(
        std::span(values).subspan(row, static_cast<std::size_t>(n)),
        std::span(weights.values).subspan(first, static_cast<std::size_t>(e.rows * n)), n);
    add(wanted, products);
  }
  expect_call(text("indexed_matmul", format, {e.experts, e.rows, n}, kind, dtype, shape, x_kind) + ", ids " +
                  std::string(name_of(ids_dtype)) + " [" + std::to_string(e.tokens) + ", " +
                  std::to_string(e.chosen) + "] " + std::string(name_of(ids_kind)),
              dtype, {e.tokens, e.chosen, e.rows}, wanted, [&](const CallOptions& options) {
                return indexed_matmul(x.tensor, weights.tensor, ids.tensor, options);
              });
}

void test_experts(DType format, DType dtype) {
  const std::int64_t more = block_elements(format) == 32 ? 9 : 2;
  for (const bool shared : {true, false}) {
    for (const Experts& e : {Experts{1, 1, 1, 1, 1, shared},
                             {4, 33, 1, 1, 2, shared},
                             {8, 40, more, 3, 2, shared},
                             {3, 17, more, 9, 4, shared},
                             {16, 64, more, 40, 2, shared},
                             {5, 9, 1, 300, 3, shared},
                             {100, 3, 1, 7, 8, shared},
                             {3, 5, 1, 0, 2, shared},
                             {3, 0, 1, 4, 2, shared}}) {
      check_experts(format, dtype, e, RowKind::contiguous, Kind::contiguous, Kind::contiguous, DType::u32);
      if (testing::Test::HasFailure()) return;
    }
    std::size_t turn = 0;
    for (const RowKind kind : row_kinds)
      for (const Kind x_kind : strided_kinds) {
        check_experts(format, dtype, {6, 19, 2, 5, 3, shared}, kind, x_kind,
                      strided_kinds[turn * 2 % std::size(strided_kinds)],
                      integer_dtypes[turn % std::size(integer_dtypes)]);
        ++turn;
        if (testing::Test::HasFailure()) return;
      }
  }
}

}  // namespace

void register_quantized_matmul_tests() {
  register_expert_matmul_tests();
  for (const DType format : reference::block_formats)
    for (const DType dtype : product_dtypes(format)) {
      const std::string types = std::string(name_of(format)) + "_" + std::string(name_of(dtype));
      register_test("quantized_matmul", types, [=] {
        test_columns(format, dtype);
        test_sizes(format, dtype);
        test_empty(format, dtype);
        test_magnitudes(format, dtype);
        test_block_scales(format, dtype);
        test_specials(format, dtype);
      });
      register_test("quantized_matmul_layouts", types, [=] { test_layouts(format, dtype); });
      register_test("indexed_matmul", types, [=] { test_experts(format, dtype); });
    }
}

}  // namespace kernelgen::conformance
