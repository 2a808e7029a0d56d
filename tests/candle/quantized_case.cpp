#include "quantized_case.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "conformance/inputs.hpp"
#include "conformance/tolerance.hpp"
#include "conformance/walk.hpp"
#include "reference/quantized.hpp"

namespace kernelgen::candle {

using conformance::poison;
using conformance::random_bits;
using reference::Real;

std::vector<Cut> cuts_of(const Cut& candle, std::uint32_t most) {
  std::vector<Cut> cuts{candle};
  if (device().kind() == DeviceKind::cpu) return cuts;
  for (const auto& [block, block_y] :
       {std::pair{1u, 1u}, {32u, 1u}, {64u, 2u}, {96u, 1u}, {256u, 1u}, {32u, 32u}})
    if (block * block_y <= most) cuts.push_back({candle.grid, block, block_y, candle.grid_y, candle.grid_z});
  return cuts;
}

Tensor upload_bytes(const Elements& blocks) {
  return Tensor::from_host(device(), blocks.bytes(), {static_cast<std::int64_t>(blocks.bytes().size())},
                           DType::u8);
}

Tensor upload_floats(const std::vector<float>& values) {
  return Tensor::from_host(device(), std::as_bytes(std::span(values)),
                           {static_cast<std::int64_t>(values.size())}, DType::f32);
}

std::vector<float> numbers(std::int64_t n, std::uint64_t stream) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::uint64_t>(i);
    const std::uint64_t block = random_bits(stream + k / 32), bits = random_bits(stream + 7919 * k + 3);
    const double size = block % 9 == 0 ? 0 : std::ldexp(1.0, static_cast<int>(block / 9 % 7) - 3);
    values.push_back(static_cast<float>(size * (static_cast<double>(bits) * 0x1p-63 - 1)));
  }
  return values;
}

Output::Output(DType dtype, std::int64_t size)
    : size_(size), before_(poison(dtype, size + 2 * guard)), whole_(upload(before_)) {}

Elements Output::get(const std::string& what) const {
  const Elements after = download(whole_);
  for (const std::int64_t first : {std::int64_t{0}, guard + size_})
    EXPECT_TRUE(std::equal(after.at(first), after.at(first + guard), before_.at(first)))
        << what << " wrote outside its output";
  return reference::slice(after, guard, size_);
}

void expect_quantized(const std::string& what, const std::byte* block,
                      const std::function<float(std::int64_t)>& element) {
  float magnitude = 0, sum = 0, magnitudes = 0;
  for (std::int64_t i = 0; i < 32; ++i) {
    magnitude = std::max(magnitude, std::fabs(element(i)));
    sum += element(i);
    magnitudes += std::fabs(element(i));
  }
  const float step = magnitude / 127;
  std::array<std::byte, 2> wanted{};
  reference::write_f16(wanted.data(), 0, step);
  ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), block)) << what << ", its step";
  ASSERT_NEAR(reference::read_f16(block, 2), sum,
              0x1p-11f * std::fabs(sum) + 0x1p-19f * magnitudes + 0x1p-25f)
      << what << ", its sum";
  for (std::int64_t i = 0; i < 32; ++i)
    ASSERT_EQ(static_cast<std::int8_t>(block[4 + i]), step == 0 ? 0 : std::lround(element(i) / step))
        << what << ", element " << i;
}

void expect_products(const std::string& what, const Output& y, const reference::Products& products,
                     std::int64_t rows, std::int64_t pitch, DType dtype) {
  const Elements got = y.get(what);
  const auto results = static_cast<std::int64_t>(products.value.size());
  const Real half_step = dtype == DType::f32 ? 0 : dtype == DType::f16 ? 0x1p-11L : 0x1p-8L;
  Elements written(dtype, results);
  std::vector<Real> slack = products.rounding;
  for (std::int64_t i = 0; i < results; ++i) {
    const auto k = static_cast<std::size_t>(i);
    std::memcpy(written.at(i), got.at(i / rows * pitch + i % rows), size_of(dtype));
    slack[k] += half_step * (std::fabs(products.value[k]) + slack[k]) + (half_step == 0 ? 0 : 0x1p-24L);
  }
  conformance::expect_within(what, written, products.value, slack);
  const Elements untouched = poison(dtype, 1);
  for (std::int64_t i = 0; i < got.count(); ++i) {
    if (i % pitch < rows) continue;
    ASSERT_EQ(bits_at(got, i), bits_at(untouched, 0)) << what << " wrote between its results";
  }
}

Vectors::Vectors(std::int64_t count, std::int64_t n, std::uint64_t stream) {
  std::vector<float> all;
  for (std::int64_t j = 0; j < count; ++j) {
    const auto row = numbers(n, stream + static_cast<std::uint64_t>(j));
    all.insert(all.end(), row.begin(), row.end());
    all.resize(static_cast<std::size_t>((j + 1) * padded(n)));
  }
  blocks = {DType::q8_1, reference::quantize(DType::q8_1, all)};
  for (std::int64_t b = 0; b < blocks.count(); ++b) {
    std::byte* const block = blocks.at(b);
    const float step = reference::read_f16(block, 0);
    if (step == 0) continue;
    const float power = std::exp2(std::round(std::log2(step)));
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += static_cast<std::int8_t>(block[4 + i]);
    EXPECT_LE(std::abs(sum), 2048) << "more than f16 is exact for";
    reference::write_f16(block, 0, power);
    reference::write_f16(block, 2, power * static_cast<float>(sum));
  }
  const auto rounded = reference::dequantize(DType::q8_1, blocks.bytes());
  for (std::int64_t j = 0; j < count; ++j)
    values.insert(values.end(), rounded.begin() + j * padded(n), rounded.begin() + j * padded(n) + n);
}

}  // namespace kernelgen::candle
