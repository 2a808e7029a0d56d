// candle's kernels over GGML's blocks, launched as candle launches them and with other blocks.
#include <gtest/gtest.h>

#include "conformance/inputs.hpp"
#include "conformance/quantized_case.hpp"
#include "conformance/tolerance.hpp"
#include "launcher.hpp"
#include "quantized_case.hpp"
#include "reference/quantized.hpp"
#include "reference/quantized_product.hpp"

namespace kernelgen::candle {
namespace {

using conformance::expect_same_values;
using conformance::moderate_blocks;
using conformance::random_bits;
using reference::Products;
using reference::Real;

Elements elements_of(DType dtype, const Elements& blocks) {
  return conformance::rounded(dtype, reference::dequantize(blocks.dtype(), blocks.bytes()));
}

TEST(CandleQuantized, Dequantize) {
  for (const DType format : reference::block_formats)
    for (const DType dtype : {DType::f32, DType::f16}) {
      const std::string kernel = "dequantize_block_" + std::string(name_of(format)) + "_" + suffix(dtype);
      if (format != DType::q8_K && std::ranges::find(product_formats, format) == std::end(product_formats))
        continue;
      for (const std::int64_t blocks : {1, 8, 37}) {
        const Elements x = conformance::random_patterns(format, blocks, 3);
        const std::int64_t n = blocks * block_elements(format);
        const bool by_elements = format == DType::q5_0 || format == DType::q5_1;
        const Cut candle =
            is_k(format)  ? Cut{count(blocks), format == DType::q4_K || format == DType::q8_K ? 32u : 64u}
            : by_elements ? Cut{quotient_up(n, 512), 256}
                          : Cut{quotient_up(n, 256), 32};
        for (const Cut& cut : cuts_of(candle)) {
          const std::string what = kernel + " of " + std::to_string(blocks) + ", " + cut.text();
          const Output y(dtype, n);
          const Tensor source = upload_bytes(x);
          Block arguments;
          arguments.add(source).add(y.tensor());
          if (!is_k(format)) arguments.add(static_cast<std::int32_t>(by_elements ? n : blocks));
          launch(kernel, cut, arguments);
          expect_same_values(what, y.get(what), elements_of(dtype, x));
        }
      }
    }
}

/// Rows of a table by number, and zeros for the largest number there is.
void check_rows(const std::string& kernel, const Cut& candle, const Tensor& table, const Elements& elements,
                std::int64_t rows, std::int64_t n, std::uint64_t pitch) {
  constexpr std::int64_t ids = 23;
  Elements numbers(DType::u32, ids), wanted(DType::f32, ids * n);
  for (std::int64_t i = 0; i < ids; ++i) {
    const auto row = static_cast<std::uint32_t>(random_bits(static_cast<std::uint64_t>(i)) %
                                                static_cast<std::uint64_t>(rows));
    const std::uint32_t number = i % 7 == 3 ? ~0u : row;
    std::memcpy(numbers.at(i), &number, sizeof number);
    if (number == row)
      std::memcpy(wanted.at(i * n), elements.at(row * n), static_cast<std::size_t>(n) * sizeof(float));
  }
  for (const Cut& cut : cuts_of({ids, candle.block, 1, candle.grid_y})) {
    const std::string what = kernel + " of " + std::to_string(n) + ", " + cut.text();
    const Output y(DType::f32, ids * n);
    launch(kernel, cut, Block().add(table).add(upload(numbers)).add(y.tensor()).add(n).add(pitch));
    expect_same_values(what, y.get(what), wanted);
  }
}

TEST(CandleQuantized, GetRows) {
  constexpr std::int64_t rows = 9;
  for (const DType format : product_formats)
    for (const std::int64_t blocks : {1, 3}) {
      const std::int64_t n = blocks * block_elements(format);
      const Elements table = moderate_blocks(format, rows * blocks, 5);
      const Cut candle = is_k(format) ? Cut{1, format == DType::q4_K ? 32u : 64u, 1, count(blocks)}
                                      : Cut{1, 256, 1, quotient_up(n, 512)};
      check_rows("get_rows_" + std::string(name_of(format)), candle, upload_bytes(table),
                 elements_of(DType::f32, table), rows, n,
                 static_cast<std::uint64_t>(blocks) * size_of(format));
    }
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const std::int64_t n : {1, 77, 300}) {
      const Elements table = conformance::random_patterns(dtype, rows * n, 7);
      std::vector<Real> values;
      for (std::int64_t i = 0; i < table.count(); ++i) values.push_back(real_at(table, i));
      check_rows("get_rows_" + suffix(dtype), {1, 256, 1, quotient_up(n, 256)}, upload(table),
                 reference::make_elements(DType::f32, values), rows, n,
                 static_cast<std::uint64_t>(n) * size_of(dtype));
    }
}

TEST(CandleQuantized, QuantizeToBytes) {
  for (const std::int64_t n : {32, 33, 500, 512, 1100})
    for (const std::int64_t rows : {1, 5}) {
      const std::vector<float> x = numbers(rows * n, 11);
      const std::int64_t each = padded(n) / 32;
      for (Cut cut : cuts_of({quotient_up(padded(n), 256), 256, 1, count(rows)})) {
        if (cut.block_y > 1) cut.grid_y = 1, cut.block_y = count(rows), cut.block = 32;
        const std::string what =
            "quantize_q8_1 of " + std::to_string(rows) + " x " + std::to_string(n) + ", " + cut.text();
        const Output y(DType::u8, rows * each * 36);
        launch("quantize_q8_1", cut,
               Block()
                   .add(upload_floats(x))
                   .add(y.tensor())
                   .add(static_cast<std::int32_t>(n))
                   .add(static_cast<std::int32_t>(padded(n))));
        const Elements got = y.get(what);
        for (std::int64_t b = 0; b < rows * each; ++b)
          expect_quantized(what + ", block " + std::to_string(b), got.at(36 * b), [&](std::int64_t i) {
            const std::int64_t at = b % each * 32 + i;
            return at < n ? x[static_cast<std::size_t>(b / each * n + at)] : 0.0f;
          });
      }
    }
}

TEST(CandleQuantized, ProductsWithFloats) {
  for (const DType format : product_formats) {
    std::string kernel = "dequantize_mul_mat_vec_" + std::string(name_of(format));
    kernel = is_k(format) ? kernel.replace(kernel.size() - 1, 1, "k") : kernel + "_cuda";
    for (const std::int64_t rows : {1, 7, 64})
      for (const std::int64_t blocks : {1, 2, 9}) {
        const std::int64_t n = blocks * block_elements(format);
        const Elements x = moderate_blocks(format, rows * blocks, 13);
        const std::vector<float> v = numbers(n, 17);
        const Products products =
            reference::quantized_products(v, reference::dequantize(format, x.bytes()), n);
        for (const Cut& cut : cuts_of({count(rows), 32})) {
          const std::string what =
              kernel + " of " + std::to_string(rows) + " x " + std::to_string(n) + ", " + cut.text();
          const Output y(DType::f32, rows);
          const Tensor weights = upload_bytes(x), vector = upload_floats(v);
          Block arguments;
          arguments.add(weights).add(vector).add(y.tensor()).add(static_cast<std::int32_t>(n));
          if (format != DType::q5_K) arguments.add(static_cast<std::int32_t>(rows));
          launch(kernel, cut, arguments);
          expect_products(what, y, products, rows, rows);
        }
      }
  }
}

void check_products(const std::string& kernel, DType format, const Cut& candle, std::int64_t rows,
                    std::int64_t n, std::int64_t vectors, bool names_vectors) {
  const Elements x = moderate_blocks(format, rows * n / block_elements(format), 19);
  const Vectors v(vectors, n, 23);
  const Products products =
      reference::quantized_products(v.values, reference::dequantize(format, x.bytes()), n);
  const std::int64_t pitch = rows + 3;
  // Matrix products use another block size.
  for (const Cut& cut : cuts_of(candle, names_vectors ? 128 : 1024)) {
    const std::string what = kernel + " of " + std::to_string(rows) + " x " + std::to_string(n) + " by " +
                             std::to_string(vectors) + ", " + cut.text();
    const Output y(DType::f32, vectors * pitch);
    const Tensor weights = upload_bytes(x), others = upload_bytes(v.blocks);
    Block arguments;
    const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    arguments.add(weights).add(others).add(y.tensor()).add(number(n)).add(number(rows));
    if (names_vectors) arguments.add(number(vectors));
    arguments.add(number(padded(n))).add(number(pitch));
    launch(kernel, cut, arguments);
    expect_products(what, y, products, rows, pitch);
  }
}

TEST(CandleQuantized, ProductsWithVectors) {
  for (const DType format : product_formats)
    for (const std::int64_t vectors : {1, 2, 3, 4, 5, 6, 7, 8}) {
      const std::string kernel =
          "mul_mat_vec_" + std::string(name_of(format)) + "_q8_1_cuda" + std::to_string(vectors);
      for (const std::int64_t rows : {1, 2, 33})
        for (const std::int64_t blocks : {1, 3, 20})
          check_products(kernel, format,
                         {vectors == 1 ? count(rows) : quotient_up(rows, 2), 32, vectors <= 4 ? 4u : 2u},
                         rows, blocks * block_elements(format), vectors, false);
    }
}

TEST(CandleQuantized, ProductsOfMatrices) {
  struct Tile {
    std::int64_t rows, columns;
  };
  constexpr Tile tiles[] = {{128, 64}, {128, 64},  {64, 128}, {64, 128}, {64, 128},
                            {128, 64}, {128, 128}, {128, 64}, {128, 64}, {64, 64}};
  for (std::size_t f = 0; f < std::size(product_formats); ++f)
    for (const auto& [rows, blocks, vectors] : {std::array<std::int64_t, 3>{1, 1, 1},
                                                {3, 2, 9},
                                                {65, 1, 3},
                                                {130, 3, 17},
                                                {7, 5, 130},
                                                {129, 1, 129}}) {
      const DType format = product_formats[f];
      check_products("mul_mat_" + std::string(name_of(format)), format,
                     {quotient_up(rows, tiles[f].rows), 32, 4, quotient_up(vectors, tiles[f].columns)}, rows,
                     blocks * block_elements(format), vectors, true);
    }
}

TEST(CandleQuantized, Experts) {
  for (const DType format : {DType::q2_K, DType::q3_K, DType::q4_K, DType::q5_K, DType::q6_K, DType::q8_0}) {
    std::string kernel = "indexed_moe_forward_" + std::string(name_of(format)) + "_q8_1";
    if (is_k(format)) kernel.erase(kernel.find('_', 20), 1), kernel[kernel.find('K')] = 'k';
    for (const bool shared : {false, true}) {
      constexpr std::int64_t experts = 5, rows = 7, tokens = 4, chosen = 3;
      const std::int64_t n = 2 * block_elements(format), vectors = shared ? tokens : tokens * chosen;
      const Elements x = moderate_blocks(format, experts * rows * 2, 29);
      const std::vector<float> weights = reference::dequantize(format, x.bytes());
      const Vectors v(vectors, n, 31);
      Elements ids(DType::u32, tokens * chosen);
      Products products;
      for (std::int64_t task = 0; task < tokens * chosen; ++task) {
        const auto expert = static_cast<std::uint32_t>(task % 5 == 3 ? -1 : (task * 3 + 4) % experts);
        std::memcpy(ids.at(task), &expert, sizeof expert);
        const auto vector = static_cast<std::size_t>((shared ? task / chosen : task) * n);
        const Products found =
            expert == ~0u ? Products{std::vector<Real>(rows), std::vector<Real>(rows), {}}
                          : reference::quantized_products(
                                std::span(v.values).subspan(vector, static_cast<std::size_t>(n)),
                                std::span(weights).subspan(static_cast<std::size_t>(expert * rows * n),
                                                           static_cast<std::size_t>(rows * n)),
                                n);
        products.value.insert(products.value.end(), found.value.begin(), found.value.end());
        products.rounding.insert(products.rounding.end(), found.rounding.begin(), found.rounding.end());
      }
      for (const Cut& cut : cuts_of({rows, 32, 4, tokens, chosen})) {
        const std::string what = kernel + (shared ? ", a vector a token, " : ", ") + cut.text();
        const Output y(DType::f32, tokens * chosen * rows);
        const Tensor matrices = upload_bytes(x), inputs = upload_bytes(v.blocks), indices = upload(ids);
        Block arguments;
        arguments.add(matrices).add(inputs).add(indices).add(y.tensor());
        for (const std::int64_t number : {rows, n, tokens, chosen, padded(n), shared ? 1 : chosen})
          arguments.add(static_cast<std::int32_t>(number));
        launch(kernel, cut, arguments);
        expect_products(what, y, products, rows, rows);
      }
    }
  }
}

}  // namespace
}  // namespace kernelgen::candle
