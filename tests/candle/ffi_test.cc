// The kernels that the launchers of candle-kernels' module ffi run.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "conformance/inputs.hpp"
#include "conformance/quantized_case.hpp"
#include "conformance/tolerance.hpp"
#include "quantized_case.hpp"
#include "reference/quantized.hpp"

namespace kernelgen::candle {
namespace {

using conformance::moderate_blocks;
using reference::Products;
using reference::Real;

constexpr std::size_t q8_1_bytes = 36;

Elements rounded_floats(DType dtype, const std::vector<float>& values) {
  return conformance::rounded(dtype, values);
}

std::vector<float> floats_of(const Elements& x) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < x.count(); ++i) values.push_back(static_cast<float>(real_at(x, i)));
  return values;
}

Tensor upload_ints(const std::vector<std::int32_t>& values) {
  return Tensor::from_host(device(), std::as_bytes(std::span(values)),
                           {static_cast<std::int64_t>(values.size())}, DType::i32);
}

/// Rows by index and in both orders of blocks.
TEST(CandleFfi, QuantizeRows) {
  constexpr std::int64_t rows = 5, n = 300, step = 320, slices = 16;
  const std::vector<std::int32_t> order{3, 0, 4, 4, 1};
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const bool is_indexed : {false, true})
      for (const bool by_slice : {false, true}) {
        const Elements x = rounded_floats(dtype, numbers(rows * step, 37));
        const std::vector<float> values = floats_of(x);
        const std::uint64_t row_step = by_slice ? 1 : slices, slice_step = by_slice ? rows : 1;
        for (const Cut& cut : cuts_of({10, 256}, 256)) {
          const Output y(DType::u8, rows * slices * static_cast<std::int64_t>(q8_1_bytes));
          const Tensor source = upload(x), ids = upload_ints(order);
          launch("quantize_rows_" + suffix(dtype), cut,
                 Block()
                     .add(source)
                     .add(is_indexed ? ids : Tensor())
                     .add(y.tensor())
                     .add(std::uint64_t{rows})
                     .add(std::uint64_t{n})
                     .add(step)
                     .add(std::uint64_t{slices})
                     .add(row_step)
                     .add(slice_step));
          const std::string what = "quantize_rows of " + suffix(dtype) + ", " + cut.text();
          const Elements got = y.get(what);
          for (std::int64_t row = 0; row < rows; ++row)
            for (std::int64_t slice = 0; slice < slices; ++slice) {
              const std::int64_t from = is_indexed ? order[static_cast<std::size_t>(row)] : row;
              const std::uint64_t at =
                  static_cast<std::uint64_t>(row) * row_step + static_cast<std::uint64_t>(slice) * slice_step;
              expect_quantized(what, got.at(static_cast<std::int64_t>(at * q8_1_bytes)), [&](std::int64_t i) {
                const std::int64_t k = slice * 32 + i;
                return k < n ? values[static_cast<std::size_t>(from * step + k)] : 0;
              });
            }
        }
      }
}

TEST(CandleFfi, FewVectors) {
  for (const DType format : product_formats)
    for (const auto& [most, vectors] : {std::pair{1, 1}, {2, 2}, {4, 3}, {8, 5}, {8, 8}})
      for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
        constexpr std::int64_t rows = 33, pitch = rows + 3;
        const std::int64_t n = 3 * block_elements(format);
        const Elements x = moderate_blocks(format, rows * 3, 19);
        const Vectors v(vectors, n, 23);
        const Products products =
            reference::quantized_products(v.values, reference::dequantize(format, x.bytes()), n);
        for (const Cut& cut :
             cuts_of({most == 1 ? count(rows) : quotient_up(rows, 2), 32, most <= 4 ? 4u : 2u}, 128)) {
          const std::string kernel =
              "mul_mat_few_" + std::string(name_of(format)) + "_cuda" + std::to_string(most);
          const std::string what = kernel + " by " + std::to_string(vectors) + ", " + cut.text();
          const Output y(dtype, vectors * pitch);
          const Tensor weights = upload_bytes(x), others = upload_bytes(v.blocks);
          launch(kernel, cut,
                 Block()
                     .add(weights)
                     .add(others)
                     .add(y.tensor())
                     .add(static_cast<std::uint32_t>(dtype))
                     .add(count(rows))
                     .add(std::uint32_t{3})
                     .add(count(padded(n) / 32))
                     .add(std::uint64_t{pitch})
                     .add(count(vectors)));
          expect_products(what, y, products, rows, pitch, dtype);
        }
      }
}

/// The same blocks, slice after slice.
Elements by_slices(const Elements& blocks, std::int64_t rows, std::int64_t slices, std::int64_t pitch) {
  Elements turned(DType::q8_1, rows * slices);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t k = 0; k < slices; ++k)
      std::memcpy(turned.at(k * rows + row), blocks.at(row * pitch + k), q8_1_bytes);
  return turned;
}

TEST(CandleFfi, ManyVectors) {
  for (const DType format : product_formats)
    for (const bool is_small : {false, true})
      for (const auto& [rows, blocks, vectors] :
           {std::array<std::int64_t, 3>{1, 1, 1}, {130, 2, 17}, {7, 3, 130}, {129, 1, 33}}) {
        const std::int64_t n = blocks * block_elements(format), step = blocks + 1, pitch = rows + 3;
        // Rows of x with a block between them.
        const Elements x = moderate_blocks(format, rows * step, 19);
        Elements dense(format, rows * blocks);
        for (std::int64_t r = 0; r < rows; ++r)
          std::memcpy(dense.at(r * blocks), x.at(r * step),
                      static_cast<std::size_t>(blocks) * size_of(format));
        const Vectors v(vectors, n, 23);
        const Elements columns = by_slices(v.blocks, vectors, n / 32, padded(n) / 32);
        const Products products =
            reference::quantized_products(v.values, reference::dequantize(format, dense.bytes()), n);
        const std::string kernel =
            (is_small ? "mul_mat_slices_32_" : "mul_mat_slices_") + std::string(name_of(format));
        for (const Cut& cut : cuts_of({quotient_up(rows, 64), 32, 4, quotient_up(vectors, 64)}, 128)) {
          const std::string what =
              kernel + " of " + std::to_string(rows) + " by " + std::to_string(vectors) + ", " + cut.text();
          const Output y(DType::f32, vectors * pitch);
          const Tensor weights = upload_bytes(x), others = upload_bytes(columns);
          launch(kernel, cut,
                 Block()
                     .add(weights)
                     .add(others)
                     .add(y.tensor())
                     .add(count(blocks))
                     .add(count(rows))
                     .add(count(vectors))
                     .add(static_cast<std::uint64_t>(step))
                     .add(static_cast<std::uint64_t>(pitch)));
          expect_products(what, y, products, rows, pitch);
        }
      }
}

/// Tasks sorted by expert, one of which has no tasks and one of which does not exist.
struct Mixture {
  static constexpr std::int64_t tokens = 9, chosen = 3, all = tokens * chosen, matrices = 5;
  bool has_weights;
  std::vector<std::int32_t> token, expert;
  std::vector<float> weights;

  explicit Mixture(bool has_weights) : has_weights(has_weights), weights(numbers(all, 41)) {
    for (std::int32_t e = 0; e <= matrices; ++e)
      for (std::int32_t i = 0; i < all; ++i)
        if (expert_of(i) == e) token.push_back(i), expert.push_back(e);
  }
  static std::int32_t expert_of(std::int64_t task) {
    const auto e = static_cast<std::int32_t>(task * 7 % (matrices + 1));
    return e == 2 ? 3 : e;
  }
  std::int64_t sources() const { return has_weights ? all : tokens; }

  /// Result row t: its row of x by its matrix' rows; zeros for an expert that does not exist.
  Products products(const std::vector<float>& x, const std::vector<float>& w, std::int64_t rows,
                    std::int64_t n, Real rounding) const {
    Products products;
    for (std::int64_t t = 0; t < all; ++t)
      for (std::int64_t r = 0; r < rows; ++r) {
        const std::int64_t source = has_weights ? t : t / chosen, e = expert_of(t);
        Real sum = 0, magnitude = 0;
        for (std::int64_t k = 0; k < n && e < matrices; ++k) {
          const Real product = static_cast<Real>(x[static_cast<std::size_t>(source * n + k)]) *
                               static_cast<Real>(w[static_cast<std::size_t>((e * rows + r) * n + k)]);
          sum += product;
          magnitude += std::fabs(product);
        }
        const Real weight = has_weights ? static_cast<Real>(weights[static_cast<std::size_t>(t)]) : 1;
        products.value.push_back(sum * weight);
        products.rounding.push_back(std::fabs(weight) * magnitude * rounding);
      }
    return products;
  }

  void run(const std::string& kernel, const Cut& cut, const Tensor& x, const Tensor& w, const Tensor& y,
           std::int64_t rows, std::int64_t n) const {
    const Tensor tokens_there = upload_ints(token), experts_there = upload_ints(expert),
                 weights_there = has_weights ? upload_floats(weights) : Tensor();
    launch(kernel, cut,
           Block()
               .add(x)
               .add(w)
               .add(tokens_there)
               .add(experts_there)
               .add(weights_there)
               .add(y)
               .add(count(matrices))
               .add(count(chosen))
               .add(count(all))
               .add(count(rows))
               .add(count(n)));
  }
};

/// A result of zeros: rows of experts that do not exist are not written.
Tensor zeros(DType dtype, std::int64_t size) { return upload(Elements(dtype, size)); }

void expect_mixture(const std::string& what, const Tensor& y, const Products& products, Real half_step) {
  std::vector<Real> slack;
  for (std::size_t i = 0; i < products.value.size(); ++i)
    slack.push_back(products.rounding[i] + half_step * std::fabs(products.value[i]) + 0x1p-24L);
  conformance::expect_within(what, download(y), products.value, slack);
}

constexpr DType expert_formats[] = {DType::q8_0, DType::q4_K, DType::q2_K,
                                    DType::q3_K, DType::q5_K, DType::q6_K};
constexpr std::int64_t expert_rows = 37;

TEST(CandleFfi, ExpertsByVectors) {
  for (const DType format : expert_formats)
    for (const bool has_weights : {false, true}) {
      const Mixture mixture(has_weights);
      const std::int64_t n = 512;
      const Elements w =
          moderate_blocks(format, Mixture::matrices * expert_rows * n / block_elements(format), 43);
      const Vectors x(mixture.sources(), n, 47);
      const Products products =
          mixture.products(x.values, reference::dequantize(format, w.bytes()), expert_rows, n, 0x1p-6L);
      const auto row = static_cast<std::uint32_t>(n / 32 * 36);  // in blocks of q8_1
      for (const Cut& cut : {Cut{count(Mixture::all), 256, 1, 3, 1, row}, Cut{4, 64, 1, 1, 1, row}}) {
        const std::string kernel = "moe_vectors_" + std::string(name_of(format));
        const Tensor y = zeros(DType::f32, Mixture::all * expert_rows);
        mixture.run(kernel, cut, upload_floats(x.values), upload_bytes(w), y, expert_rows, n);
        expect_mixture(kernel + ", " + cut.text(), y, products, 0);
      }
    }
}

TEST(CandleFfi, ExpertsByTiles) {
  for (const DType dtype : {DType::f16, DType::bf16})
    for (const bool has_weights : {false, true}) {
      const Mixture mixture(has_weights);
      const Real half_step = dtype == DType::f16 ? 0x1p-11L : 0x1p-8L;
      const Cut cut{1, 256, 1, 3};
      const auto check = [&](const std::string& kernel, std::int64_t n, const Tensor& w,
                             const std::vector<float>& values, DType result) {
        const Elements x = rounded_floats(dtype, numbers(mixture.sources() * n, 53));
        const Tensor y = zeros(result, Mixture::all * expert_rows);
        mixture.run(kernel, cut, upload(x), w, y, expert_rows, n);
        // Each weight is rounded once.
        expect_mixture(kernel, y, mixture.products(floats_of(x), values, expert_rows, n, half_step),
                       result == DType::f32 ? 0 : half_step);
      };
      for (const std::int64_t n : {8, 100, 256}) {
        const Elements w = rounded_floats(dtype, numbers(Mixture::matrices * expert_rows * n, 59));
        check("moe_tiles_" + suffix(dtype), n, upload(w), floats_of(w), dtype);
      }
      for (const DType format : expert_formats) {
        const Elements w =
            moderate_blocks(format, Mixture::matrices * expert_rows * 512 / block_elements(format), 61);
        check("moe_tiles_" + std::string(name_of(format)) + "_" + suffix(dtype), 512, upload_bytes(w),
              reference::dequantize(format, w.bytes()), DType::f32);
      }
    }
}

TEST(CandleFfi, AlignedGroups) {
  constexpr std::int64_t all = 50, matrices = 4, group = 8, places = all + matrices * (group - 1);
  std::vector<std::int32_t> ids;
  std::vector<std::vector<std::int32_t>> of(matrices);
  for (std::int32_t i = 0; i < all; ++i) {
    ids.push_back(i % 11 == 5 ? matrices : i * 3 % 7 % 3);  // none for expert 3; some do not exist
    if (ids.back() < matrices) of[static_cast<std::size_t>(ids.back())].push_back(i);
  }
  const auto ints = [](std::int64_t n) { return zeros(DType::i32, n); };
  const std::int64_t groups = (places + group - 1) / group;
  const Tensor sorted = ints(places), experts = ints(groups), total = ints(1), first = ints(matrices + 1);
  launch("moe_align", {1, 1024},
         Block()
             .add(upload_ints(ids))
             .add(sorted)
             .add(experts)
             .add(total)
             .add(first)
             .add(count(matrices))
             .add(count(group))
             .add(count(all))
             .add(count(places)));
  const auto read = [](const Tensor& tensor) {
    const Elements x = download(tensor);
    const auto values = x.as<std::int32_t>();
    return std::vector<std::int32_t>(values.begin(), values.end());
  };
  const std::vector<std::int32_t> order = read(sorted), expert = read(experts);
  std::size_t at = 0;
  for (std::int32_t e = 0; e < matrices; ++e) {
    const auto& mine = of[static_cast<std::size_t>(e)];
    const std::size_t room = (mine.size() + group - 1) / group * group;
    std::vector<std::int32_t> found(order.begin() + static_cast<std::ptrdiff_t>(at),
                                    order.begin() + static_cast<std::ptrdiff_t>(at + room));
    std::ranges::sort(found);
    std::vector<std::int32_t> wanted = mine;
    wanted.resize(room, all);
    EXPECT_EQ(found, wanted) << "expert " << e;
    for (std::size_t g = at / group; g < (at + room) / group; ++g) EXPECT_EQ(expert[g], e);
    at += room;
  }
  EXPECT_EQ(read(total)[0], static_cast<std::int32_t>(at));
  for (std::size_t i = at; i < order.size(); ++i) EXPECT_EQ(order[i], all);
  for (std::size_t g = at / group; g < expert.size(); ++g) EXPECT_EQ(expert[g], -1);
}

}  // namespace
}  // namespace kernelgen::candle
