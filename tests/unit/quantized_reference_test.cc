// The reference of GGML's formats, compared with blocks computed by hand and with bounds of rounding.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "reference/quantized.hpp"
#include "reference/step_search.hpp"

namespace kernelgen::reference {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

using Bytes = std::vector<std::byte>;

/// Bytes given as numbers, the rest of the block zero.
Bytes block_of(DType format, std::vector<int> bytes) {
  Bytes block(static_cast<std::size_t>(layout_of(format).bytes));
  for (std::size_t b = 0; b < bytes.size(); ++b) block[b] = static_cast<std::byte>(bytes[b]);
  return block;
}

/// n values, those of `f` over their index.
template <class F>
std::vector<float> values_of(int n, F&& f) {
  std::vector<float> values;
  for (int i = 0; i < n; ++i) values.push_back(static_cast<float>(f(i)));
  return values;
}

TEST(QuantizedReference, FourBits) {
  // Steps of 0.5 (0x3800); the extreme value, -4, is code 0. Byte j holds elements j and 16 + j.
  const auto x = values_of(32, [](int i) { return i < 16 ? 0.5 * (i - 8) : 0.5 * (23 - i); });
  Bytes wanted = block_of(DType::q4_0, {0x00, 0x38});
  for (int j = 0; j < 16; ++j)
    wanted[static_cast<std::size_t>(2 + j)] = static_cast<std::byte>(j | (15 - j) << 4);
  EXPECT_EQ(quantize(DType::q4_0, x), wanted);
  EXPECT_EQ(dequantize(DType::q4_0, wanted), x);
}

TEST(QuantizedReference, FourBitsFromAMinimum) {
  // Step 0.25 (0x3400), minimum -3 (0xc200).
  const auto x = values_of(32, [](int i) { return -3 + 0.25 * (i < 16 ? i : 31 - i); });
  Bytes wanted = block_of(DType::q4_1, {0x00, 0x34, 0x00, 0xc2});
  for (int j = 0; j < 16; ++j)
    wanted[static_cast<std::size_t>(4 + j)] = static_cast<std::byte>(j | (15 - j) << 4);
  EXPECT_EQ(quantize(DType::q4_1, x), wanted);
  EXPECT_EQ(dequantize(DType::q4_1, wanted), x);
}

TEST(QuantizedReference, FiveBits) {
  // Codes 0 to 31 in order: low halves in byte j of the nibbles, all fifth bits of elements 16 to 31 set.
  const auto x = values_of(32, [](int i) { return 2.0 * (i - 16); });
  Bytes wanted = block_of(DType::q5_0, {0x00, 0x40, 0x00, 0x00, 0xff, 0xff});
  for (int j = 0; j < 16; ++j) wanted[static_cast<std::size_t>(6 + j)] = static_cast<std::byte>(j | j << 4);
  EXPECT_EQ(quantize(DType::q5_0, x), wanted);
  EXPECT_EQ(dequantize(DType::q5_0, wanted), x);
}

TEST(QuantizedReference, FiveBitsFromAMinimum) {
  // Step 1 (0x3c00), minimum 100 (0x5640); elements in falling order, so elements 0 to 15 have the fifth bit.
  const auto x = values_of(32, [](int i) { return 131 - i; });
  Bytes wanted = block_of(DType::q5_1, {0x00, 0x3c, 0x40, 0x56, 0xff, 0xff, 0x00, 0x00});
  for (int j = 0; j < 16; ++j)
    wanted[static_cast<std::size_t>(8 + j)] = static_cast<std::byte>((15 - j) * 0x11);
  EXPECT_EQ(quantize(DType::q5_1, x), wanted);
  EXPECT_EQ(dequantize(DType::q5_1, wanted), x);
}

TEST(QuantizedReference, EightBits) {
  // Step 0.5; halves of it are rounded away from zero: 0.25 and -0.25 are codes 1 and -1. The sum is 1.5 (0x3e00).
  std::vector<float> x(32);
  x[0] = 63.5f, x[1] = -62.5f, x[2] = 0.25f, x[3] = -0.25f, x[16] = 0.5f;
  Bytes wanted = block_of(DType::q8_0, {0x00, 0x38, 127, 131, 1, 255});
  wanted[18] = std::byte{1};
  EXPECT_EQ(quantize(DType::q8_0, x), wanted);
  Bytes with_sum = block_of(DType::q8_1, {0x00, 0x38, 0x00, 0x3e, 127, 131, 1, 255});
  with_sum[20] = std::byte{1};
  EXPECT_EQ(quantize(DType::q8_1, x), with_sum);
  x[2] = 0.5f, x[3] = -0.5f;
  EXPECT_EQ(dequantize(DType::q8_0, wanted), x);
  EXPECT_EQ(dequantize(DType::q8_1, with_sum), x);
}

TEST(QuantizedReference, EightBitsOf256) {
  // The extreme value, 127, is code -127, by a step of -1.
  const auto x = values_of(256, [](int i) { return i < 128 ? i : 0; });
  const Bytes block = quantize(DType::q8_K, x);
  const Bytes first = block_of(DType::q8_K, {0, 0, 0x80, 0xbf, 0, 255, 254, 253});
  EXPECT_TRUE(std::equal(first.begin(), first.begin() + 8, block.begin()));
  // -(0 + … + 15) = -120 and, of codes -112 to -127, -1912.
  EXPECT_EQ(block[260], std::byte{0x88});
  EXPECT_EQ(block[261], std::byte{0xff});
  EXPECT_EQ(block[260 + 14], std::byte{0x88});
  EXPECT_EQ(block[260 + 15], std::byte{0xf8});
  EXPECT_EQ(dequantize(DType::q8_K, block), x);
}

/// Elements whose groups use every code, by the scale and the minimum given for group g.
template <class Scale, class Minimum>
std::vector<float> grouped(DType format, Scale&& scale, Minimum&& minimum) {
  const BlockLayout layout = layout_of(format);
  return values_of(256, [&](int i) {
    const int g = i / layout.group;
    return scale(g) * (i % layout.levels - layout.zero) - minimum(g);
  });
}

/// Blocks whose values are exact in the format come back, and hold the scales that they were made of.
TEST(QuantizedReference, GroupsWithMinima) {
  for (const DType format : {DType::q2_K, DType::q4_K, DType::q5_K}) {
    SCOPED_TRACE(name_of(format));
    const int levels = format == DType::q2_K ? 15 : 63;
    const auto scale = [&](int g) { return levels - 3 * (g % 4); };
    const auto minimum = [&](int g) { return levels - 2 * (g % 5); };
    const auto x = grouped(format, scale, minimum);
    Bytes block(static_cast<std::size_t>(layout_of(format).bytes));
    const BlockLayout layout = layout_of(format);
    write_f16(block.data(), layout.step, 1);
    write_f16(block.data(), layout.second, 1);
    for (int g = 0; g < 256 / layout.group; ++g) {
      write(block.data(), scale_at(format, g), scale(g));
      write(block.data(), minimum_at(format, g), minimum(g));
    }
    for (int i = 0; i < 256; ++i) write(block.data(), code_at(format, i), i % layout.levels);
    EXPECT_EQ(dequantize(format, block), x);
    EXPECT_EQ(quantize(format, x), block);
  }
}

TEST(QuantizedReference, SignedGroups) {
  for (const DType format : {DType::q3_K, DType::q6_K}) {
    SCOPED_TRACE(name_of(format));
    const BlockLayout layout = layout_of(format);
    const int lowest = format == DType::q3_K ? -32 : -128;
    const auto scale = [&](int g) { return g % 2 == 0 ? lowest + g : -lowest - 8 - g; };
    Bytes block(static_cast<std::size_t>(layout.bytes));
    write_f16(block.data(), layout.step, 0.5f);
    for (int g = 0; g < 16; ++g)
      write(block.data(), scale_at(format, g), scale(g) + (format == DType::q3_K ? 32 : 0));
    // 16 elements a group: 64 codes need every fourth of them, from the lowest on.
    const auto code = [&](int i) { return i * (layout.levels / 8) % layout.levels; };
    for (int i = 0; i < 256; ++i) write(block.data(), code_at(format, i), code(i));
    const auto x =
        values_of(256, [&](int i) { return 0.5 * scale(i / layout.group) * (code(i) - layout.zero); });
    EXPECT_EQ(dequantize(format, block), x);
    EXPECT_EQ(quantize(format, x), block);
  }
}

/// Byte by byte: a q2_K of which one element of each field is set.
TEST(QuantizedReference, BitsOfTwo) {
  Bytes block = block_of(DType::q2_K, {0x21});  // group 0: scale 1, minimum 2
  block[7] = std::byte{0xf3};                   // group 7, elements 112 to 127: scale 3, minimum 15
  block[16] = std::byte{0x03};                  // element 0: code 3
  block[16 + 31] = std::byte{0x80};             // element 127 (its highest two bits): code 2
  block[81] = std::byte{0x40};                  // step 2
  block[83] = std::byte{0x3c};                  // minima of 1
  const auto x = dequantize(DType::q2_K, block);
  EXPECT_EQ(x[0], 2 * 1 * 3 - 2);
  EXPECT_EQ(x[1], -2);
  EXPECT_EQ(x[127], 2 * 3 * 2 - 15);
  EXPECT_EQ(x[126], -15);
  EXPECT_EQ(x[128], 0);
}

TEST(QuantizedReference, EveryCodeOfTheTables) {
  const std::vector<float> iq4{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
  const std::vector<float> e2m1{0, 0.5, 1, 1.5, 2, 3, 4, 6, 0, -0.5, -1, -1.5, -2, -3, -4, -6};
  for (int code = 0; code < 16; ++code) {
    Bytes block = block_of(DType::iq4_nl, {0x00, 0x38});
    block[17] = static_cast<std::byte>(code << 4);
    EXPECT_EQ(dequantize(DType::iq4_nl, block)[31], 0.5f * iq4[static_cast<std::size_t>(code)]) << code;
    EXPECT_EQ(dequantize(DType::iq4_nl, block)[15], 0.5f * -127) << code;
    for (int exponent = 0; exponent < 256; ++exponent) {
      block = block_of(DType::mxfp4, {exponent});
      block[16] = static_cast<std::byte>(code);
      EXPECT_EQ(dequantize(DType::mxfp4, block)[15],
                std::ldexp(e2m1[static_cast<std::size_t>(code)], exponent - 127));
    }
  }
}

TEST(QuantizedReference, NearestCodesOfTheTables) {
  // The extreme value is -127; the others are in the middle of two codes, and count to the upper one.
  std::vector<float> x(32, 1.0f);
  x[0] = -127, x[1] = -115.5f, x[2] = -115.625f, x[3] = 7, x[4] = 101, x[5] = 100.875f;
  const auto iq4 = quantize(DType::iq4_nl, x);
  const std::vector<int> codes{0, 1, 0, 9, 15, 14, 8};
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(read(iq4.data(), code_at(DType::iq4_nl, i)), codes[static_cast<std::size_t>(i)]) << i;

  // Of two as near the first code, that is the lesser magnitude; -0.1 is nearest to +0, code 0.
  x.assign(32, 0.0f);
  x[0] = 7.9f, x[1] = -5, x[2] = 2.5f, x[3] = -0.1f, x[4] = 0.75f, x[5] = -4;
  const auto fp4 = quantize(DType::mxfp4, x);
  EXPECT_EQ(fp4[0], std::byte{127});
  const std::vector<int> fp4_codes{7, 14, 4, 0, 1, 14, 0};
  for (int i = 0; i < 7; ++i)
    EXPECT_EQ(read(fp4.data(), code_at(DType::mxfp4, i)), fp4_codes[static_cast<std::size_t>(i)]) << i;
}

/// The logarithm rounds up to a whole number closely below the power of two: 2^20's exponent begins 11 numbers before.
TEST(QuantizedReference, ExponentBelowAPowerOfTwo) {
  const auto exponent = [](float magnitude) {
    return std::to_integer<int>(quantize(DType::mxfp4, std::vector<float>(32, -magnitude))[0]) + 2 - 127;
  };
  const auto power = std::bit_cast<std::uint32_t>(0x1p20f);
  EXPECT_EQ(exponent(0x1p20f), 20);
  EXPECT_EQ(exponent(std::bit_cast<float>(power - 11)), 20);
  EXPECT_EQ(exponent(std::bit_cast<float>(power - 12)), 19);
  EXPECT_EQ(exponent(std::nextafter(1.0f, 0.0f)), -1);
  EXPECT_EQ(exponent(0x1.fffffep127f), 128);
  EXPECT_EQ(exponent(0x1p-125f), -125);
  EXPECT_EQ(exponent(0x1p-126f), -126 + 256);  // eight bits: it wraps, and all codes are 0
}

/// What libggml-base 0.27 makes of these blocks, as a hash (FNV-1a, of words) of all bits: every table and every place.
TEST(QuantizedReference, ElementsAreGgmls) {
  const std::pair<DType, std::uint64_t> hashes[] = {
      {DType::iq4_xs, 0x7350f6dfb15dc9edu},  {DType::nvfp4, 0x73fb00a1ded36325u},
      {DType::q1_0, 0x281a5bc374056325u},    {DType::q2_0, 0x2ea22a2e5bd62325u},
      {DType::tq1_0, 0x41d1ad3a4d63a325u},   {DType::tq2_0, 0xdad5a49d0d372325u},
      {DType::iq2_xxs, 0x5f2e3cb35ef73ff9u}, {DType::iq2_xs, 0x1f697b7f711cd569u},
      {DType::iq2_s, 0xd28816219251bf81u},   {DType::iq3_xxs, 0x49d2a8c32ca012fdu},
      {DType::iq3_s, 0x40ff2976ffefe825u},   {DType::iq1_s, 0x0423a25d0d058b45u},
      {DType::iq1_m, 0xb5a8e38b4d6067e5u}};
  for (const auto& [format, wanted] : hashes) {
    Bytes blocks(64 * size_of(format));
    std::uint64_t state = 12345;
    for (std::byte& byte : blocks) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      byte = static_cast<std::byte>(state >> 56);
    }
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const float x : dequantize(format, blocks))
      hash = (hash ^ (std::isnan(x) ? 0x7fc00000u : std::bit_cast<std::uint32_t>(x))) * 0x100000001b3u;
    EXPECT_EQ(hash, wanted) << name_of(format);
  }
}

/// Scales of e4m3 round halves up, and everything from 256 on is 448.
TEST(QuantizedReference, ScalesOfNvfp4) {
  const auto scale = [](float magnitude) {
    return std::to_integer<int>(quantize(DType::nvfp4, std::vector<float>(64, -6 * magnitude))[0]);
  };
  EXPECT_EQ(scale(0), 0);
  EXPECT_EQ(scale(1), 7 * 8);
  EXPECT_EQ(scale(1.0625f), 7 * 8 + 1);
  EXPECT_EQ(scale(1.9375f), 8 * 8) << "a mantissa that rounds up to the next exponent";
  EXPECT_EQ(scale(0x1p-9f), 1);
  EXPECT_EQ(scale(0x1p-11f), 0);
  EXPECT_EQ(scale(255), 0x7e);
  EXPECT_EQ(scale(256), 0x7e);
  EXPECT_EQ(nvfp4_step(0x7e), 224);
  EXPECT_EQ(nvfp4_step(0x7f), 0);
}

/// Five digits a byte: 1, 0, -1, 1, -1 are 2, 1, 0, 2, 0, the number 195, of 243 parts of a byte 205.4.
TEST(QuantizedReference, DigitsOfTq1) {
  std::vector<float> x(256, 0.0f);
  x[0] = 2, x[64] = -2, x[96] = 1.5f, x[128] = -1;
  const Bytes block = quantize(DType::tq1_0, x);
  EXPECT_EQ(block[0], std::byte{206});
  const auto y = dequantize(DType::tq1_0, block);
  EXPECT_EQ((std::vector<float>{y[0], y[32], y[64], y[96], y[128]}), (std::vector<float>{2, 0, -2, 2, -2}));
}

TEST(QuantizedReference, RoundsByAnAddedConstant) {
  for (const float value : {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0.49999997f, 4194303.0f, -4194303.0f, 1e-30f})
    EXPECT_EQ(nearest(value), static_cast<int>(std::nearbyint(value))) << value;
  EXPECT_EQ(nearest(nan), 0);
  EXPECT_EQ(nearest(infinity), -4194304);
  EXPECT_EQ(nearest(-infinity), -4194304);
  EXPECT_EQ(truncated(-2.9f), -2);
  for (const float value : {nan, infinity, -infinity, 0x1p31f, -0x1p31f})
    EXPECT_EQ(truncated(value), std::numeric_limits<int>::min());
}

TEST(QuantizedReference, NaN) {
  const auto codes = [](DType format, std::vector<float> x) {
    const auto n = static_cast<std::size_t>(layout_of(format).elements);
    x.resize(n);
    const auto block = quantize(format, x);
    std::vector<int> codes;
    for (int i = 0; i < 3; ++i) codes.push_back(read(block.data(), code_at(format, i)));
    return codes;
  };
  using Codes = std::vector<int>;
  EXPECT_EQ(codes(DType::q4_0, {-8, nan, 1}), (Codes{0, 0, 9}));
  EXPECT_EQ(codes(DType::q4_1, {-1, nan, 14}), (Codes{0, 0, 15}));
  EXPECT_EQ(codes(DType::q8_0, {100, nan, 1}), (Codes{12700 % 256 - 256, 0, 127})) << "100 was forgotten";
  EXPECT_EQ(codes(DType::q8_K, {nan, 127, -1}), (Codes{0, -127, 1}));
  EXPECT_EQ(codes(DType::q4_K, {-1, nan, 14}), (Codes{0, 0, 15}));
  EXPECT_EQ(codes(DType::q3_K, {-4, nan, 3}), (Codes{0, 4, 7}));
  EXPECT_EQ(codes(DType::q6_K, {-32, nan, 31}), (Codes{0, 0, 0})) << "no group has a step";
  EXPECT_EQ(codes(DType::iq4_nl, {-127, nan, 1}), (Codes{0, 15, 8}));
  EXPECT_EQ(codes(DType::mxfp4, {4, nan, -6}), (Codes{6, 0, 15}));
  EXPECT_EQ(codes(DType::nvfp4, {6, nan, -3}), (Codes{7, 0, 13}));
  EXPECT_EQ(codes(DType::q1_0, {1, nan, -1}), (Codes{1, 0, 0}));
  EXPECT_EQ(codes(DType::q2_0, {-2, nan, 2}), (Codes{0, 0, 2}));
  EXPECT_EQ(codes(DType::tq2_0, {100, nan, 1}), (Codes{101 % 4, 1, 2})) << "100 was forgotten";
}

TEST(QuantizedReference, Infinity) {
  std::vector<float> x(32, 1.0f);
  x[3] = -infinity;
  const auto block = quantize(DType::q4_0, x);
  EXPECT_EQ(read_f16(block.data(), 0), infinity);
  EXPECT_EQ(read(block.data(), code_at(DType::q4_0, 0)), 8) << "nothing of an infinite step";
  EXPECT_EQ(read(block.data(), code_at(DType::q4_0, 3)), 0) << "inf * 0 is NaN";
}

class Quantized : public testing::TestWithParam<DType> {};

TEST_P(Quantized, ZerosStayZeros) {
  const auto n = static_cast<std::size_t>(layout_of(GetParam()).elements);
  for (const float zero : {0.0f, -0.0f})
    for (const float y : dequantize(GetParam(), quantize(GetParam(), std::vector<float>(2 * n, zero))))
      EXPECT_EQ(y, 0);
}

/// What normally distributed numbers lose. Of mxfp4 it is a quarter at most: 8 less a bit becomes 6.
TEST_P(Quantized, ErrorsAreAsTheFormatsAre) {
  struct Error {
    double largest;  // of an element, in its group's largest magnitude
    double typical;  // root mean square, in the numbers' own
  };
  static const std::vector<Error> errors{
      {0.126, 0.086},   {0.067, 0.079},   {0.063, 0.043}, {0.034, 0.038}, {0.0045, 0.0054},
      {0.0045, 0.0054}, {0.52, 0.296},    {0.26, 0.150},  {0.11, 0.071},  {0.056, 0.036},
      {0.021, 0.0178},  {0.0040, 0.0069}, {0.114, 0.079}, {0.25, 0.115},  {0.115, 0.0768},
      {0.18, 0.095},    {0.83, 0.601},    {0.51, 0.717},  {0.51, 0.805},  {0.51, 0.805}};
  const DType format = GetParam();
  std::mt19937_64 random(20261122);
  std::normal_distribution<float> normal;
  double squares = 0, lost = 0, largest = 0;
  for (int turn = 0; turn < 200; ++turn) {
    std::vector<float> x(256);
    for (float& v : x) v = normal(random);
    const auto y = dequantize(format, quantize(format, x));
    const auto unit = static_cast<std::size_t>(layout_of(format).group);
    for (std::size_t first = 0; first < 256; first += unit) {
      double magnitude = 0;
      for (std::size_t i = first; i < first + unit; ++i)
        magnitude = std::max(magnitude, std::fabs(double{x[i]}));
      for (std::size_t i = first; i < first + unit; ++i) {
        const double off = std::fabs(double{y[i]} - double{x[i]});
        largest = std::max(largest, off / magnitude);
        squares += double{x[i]} * double{x[i]};
        lost += off * off;
      }
    }
  }
  const double typical = std::sqrt(lost / squares);
  const Error allowed = errors[static_cast<std::size_t>(format) - static_cast<std::size_t>(DType::q4_0)];
  EXPECT_LE(largest, allowed.largest);
  EXPECT_NEAR(typical, allowed.typical, 0.03 * allowed.typical);
}

INSTANTIATE_TEST_SUITE_P(Formats, Quantized, testing::ValuesIn(quantizable_formats()),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace kernelgen::reference
