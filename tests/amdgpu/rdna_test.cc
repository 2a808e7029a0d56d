#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>

#include "device.hpp"

// Instructions of gfx11 and gfx12 that no other test executes, beside their definition in numbers of the host.
namespace kernelgen::amdgpu {
namespace {

using Half = _Float16;

std::vector<unsigned> words(unsigned count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<unsigned> list(count);
  for (unsigned& word : list) word = static_cast<unsigned>(random());
  return list;
}
Half half(unsigned word, unsigned i) {
  return std::bit_cast<Half>(static_cast<std::uint16_t>(word >> 16 * i));
}
float bf16(unsigned word, unsigned i) { return std::bit_cast<float>(word >> 16 * i << 16); }
/// With exponents near 0, so that sums are no infinities.
unsigned moderate(unsigned word, unsigned exponents) {
  return (word & ~0x40004000u & ~exponents) | 0x30003000u;
}

class Rdna : public testing::TestWithParam<const char*> {
 protected:
  Device device{GetParam(), {}, "instructions"};
};

TEST_P(Rdna, DotsOfTwoAreRoundedOnce) {
  std::vector<unsigned> a = words(256, 1), b = words(256, 2), c = words(256, 3);
  for (auto* const list : {&a, &b, &c})
    for (unsigned& word : *list) word = moderate(word, 0x0c000c00u);
  unsigned* const y = device.allocate<unsigned>(512);
  device.launch("short_dots", {1, 1, 1}, {256, 1, 1}, y, device.upload(a), device.upload(b),
                device.upload(c));
  for (unsigned i = 0; i < 256; ++i) {
    float sum = static_cast<float>(half(c[i], 0)), of_bf16 = bf16(c[i], 0);
    for (unsigned k = 0; k < 2; ++k) {
      sum = std::fma(static_cast<float>(half(a[i], k)), static_cast<float>(half(b[i], k)), sum);
      of_bf16 = std::fma(bf16(a[i], k), bf16(b[i], k), of_bf16);
    }
    EXPECT_EQ(y[2 * i], std::bit_cast<std::uint16_t>(static_cast<Half>(sum))) << i;
    const auto bits = std::bit_cast<unsigned>(of_bf16);
    EXPECT_EQ(y[2 * i + 1], (bits + 0x7fff + (bits >> 16 & 1)) >> 16) << i;
  }
}

TEST_P(Rdna, TheClockGoesOn) {
  auto* const y = device.allocate<std::uint64_t>(2);
  device.launch("clock", {1, 1, 1}, {32, 1, 1}, y);
  EXPECT_GT(y[1], y[0]);
}

INSTANTIATE_TEST_SUITE_P(Targets, Rdna, testing::Values("gfx1100", "gfx1201"),
                         [](const auto& info) { return std::string(info.param); });

class Gfx12 : public testing::Test {
 protected:
  Device device{"gfx1201", {}, "instructions"};
};

/// OCP's formats, written out: "OCP 8-bit Floating Point Specification", 5.3.
float float8(unsigned byte, bool is_bf8) {
  const int mantissa = is_bf8 ? 2 : 3, bias = is_bf8 ? 15 : 7;
  const int exponent = static_cast<int>(byte >> mantissa & (is_bf8 ? 31 : 15));
  const float fraction =
      static_cast<float>(byte & ((1u << mantissa) - 1)) / static_cast<float>(1 << mantissa);
  const float sign = (byte & 0x80) != 0 ? -1.0f : 1.0f;
  if (is_bf8 && exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (!is_bf8 && (byte & 0x7f) == 0x7f) return NAN;
  return sign * (exponent == 0 ? std::ldexp(fraction, 1 - bias) : std::ldexp(1 + fraction, exponent - bias));
}

TEST_F(Gfx12, DotsOfFloat8) {
  const std::vector<unsigned> a = words(256, 4), b = words(256, 5);
  std::vector<float> c;
  for (unsigned i = 0; i < 256; ++i) c.push_back(static_cast<float>(i) - 100.5f);
  float* const y = device.allocate<float>(1024);
  device.launch("float8_dots", {1, 1, 1}, {256, 1, 1}, y, device.upload(a), device.upload(b),
                device.upload(c));
  for (unsigned i = 0; i < 256; ++i)
    for (unsigned kind = 0; kind < 4; ++kind) {
      float sum = c[i];
      for (unsigned k = 0; k < 32; k += 8)
        sum = std::fma(float8(a[i] >> k & 0xff, kind >= 2), float8(b[i] >> k & 0xff, kind % 2 == 1), sum);
      if (std::isnan(sum))
        EXPECT_TRUE(std::isnan(y[4 * i + kind])) << i;
      else
        EXPECT_EQ(y[4 * i + kind], sum) << i << ", kind " << kind;
    }
}

/// A NaN, if one is; -0 is below +0.
Half least(Half a, Half b) {
  if (a != a || b != b) return static_cast<Half>(NAN);
  return a < b || (a == b && std::signbit(static_cast<float>(a))) ? a : b;
}
Half greatest(Half a, Half b) { return static_cast<Half>(-static_cast<float>(least(-a, -b))); }
void expect_same(unsigned bits, Half wanted, unsigned i) {
  const Half given = half(bits, 0);
  if (wanted != wanted)
    EXPECT_TRUE(given != given) << i;
  else
    EXPECT_EQ(bits & 0xffff, std::bit_cast<std::uint16_t>(wanted)) << i;
}

std::vector<unsigned> halves(unsigned seed) {
  std::vector<unsigned> list = words(256, seed);
  constexpr unsigned corners[] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0001};
  for (unsigned i = 0; i < 256; i += 2) list[i] = corners[list[i] % 8];
  for (unsigned& word : list) word &= 0xffff;
  return list;
}

TEST_F(Gfx12, HalvesOfTheScalarUnit) {
  const std::vector<unsigned> a = halves(6), b = halves(7);
  unsigned* const y = device.allocate<unsigned>(512);
  device.launch("scalar_halves", {1, 1, 1}, {32, 1, 1}, y, device.upload(a), device.upload(b));
  for (unsigned i = 0; i < 256; ++i) {
    const Half s = half(a[i], 0), t = half(b[i], 0);
    const bool ordered = s == s && t == t;
    const bool relations[] = {s < t, s == t, s <= t, s > t, s < t || s > t, s >= t, ordered};
    unsigned bits = 0;
    for (const bool relation : relations) bits = bits << 1 | (relation ? 1u : 0u);
    // nlt, neq, nle, ngt, nlg, nge, u are the opposites.
    EXPECT_EQ(y[2 * i], bits << 7 | (~bits & 127)) << i;
    expect_same(y[2 * i + 1], least(s, t), i);
    expect_same(y[2 * i + 1] >> 16, greatest(s, t), i);
  }
}

TEST_F(Gfx12, LimitsOfHalves) {
  const std::vector<unsigned> a = halves(8), b = halves(9), c = halves(10);
  unsigned* const y = device.allocate<unsigned>(256);
  device.launch("half_limits", {1, 1, 1}, {256, 1, 1}, y, device.upload(a), device.upload(b),
                device.upload(c));
  for (unsigned i = 0; i < 256; ++i) {
    const Half s = half(a[i], 0), t = half(b[i], 0), u = half(c[i], 0);
    expect_same(y[i], greatest(least(s, t), u), i);
    expect_same(y[i] >> 16, least(greatest(s, t), u), i);
  }
}

TEST_F(Gfx12, ScalarLoadsOfBytesInABuffer) {
  const std::vector<unsigned> x = {0x8123f456, 0};
  int* const y = device.allocate<int>(4);
  device.launch("scalar_buffer", {1, 1, 1}, {32, 1, 1}, y, device.upload(x), 8);
  EXPECT_EQ(y[0], 0xf4);
  EXPECT_EQ(y[1], -12);
  EXPECT_EQ(y[2], 0x8123);
  EXPECT_EQ(y[3], -0x7edd);
}

}  // namespace
}  // namespace kernelgen::amdgpu
