#include "block_layout.hpp"

#include <cmath>
#include <cstring>
#include <stdexcept>

#include "element.hpp"

namespace kernelgen::reference {
namespace {

unsigned read_bits(const std::byte* block, Bits bits) {
  return (std::to_integer<unsigned>(block[bits.byte]) >> bits.shift) & ((1u << bits.width) - 1);
}

void write_bits(std::byte* block, Bits bits, unsigned value) {
  const unsigned mask = ((1u << bits.width) - 1) << bits.shift;
  const unsigned others = std::to_integer<unsigned>(block[bits.byte]) & ~mask;
  block[bits.byte] = static_cast<std::byte>(others | ((value << bits.shift) & mask));
}

/// Elements i and i + run of each 2 * run share a byte, the first in its low half.
Bits nibble(int first, int run, int i) { return {first + i / (2 * run) * run + i % run, i / run % 2 * 4, 4}; }

/// Elements i, i + 32, i + 64 and i + 96 of each 128 share a byte, the first in its lowest bits.
Bits pair(int first, int i) { return {first + i / 128 * 32 + i % 32, i / 32 % 4 * 2, 2}; }

/// Elements i, i + 32, … of 256 share a byte.
Bits single(int first, int i) { return {first + i % 32, i / 32, 1}; }

/// q4_K and q5_K have eight scales and eight minima of six bits in twelve bytes: the first four of each are a byte's low
/// bits, the others a nibble and the two bits which those leave.
Number six_bits(int first, int g, bool minimum) {
  if (g < 4) return {{first + g + (minimum ? 4 : 0), 0, 6}, {}};
  return {{first + g + 4, minimum ? 4 : 0, 4}, {first + g - (minimum ? 0 : 4), 6, 2}};
}

}  // namespace

int read(const std::byte* block, Number number) {
  const unsigned value = read_bits(block, number.low) | read_bits(block, number.high) << number.low.width;
  return number.is_signed ? static_cast<std::int8_t>(value) : static_cast<int>(value);
}

void write(std::byte* block, Number number, int value) {
  write_bits(block, number.low, static_cast<unsigned>(value));
  write_bits(block, number.high, static_cast<unsigned>(value) >> number.low.width);
}

BlockLayout layout_of(DType format) {
  switch (format) {
    case DType::q4_0:
      return {32, 18, 32, 0, -1, 16, 8};
    case DType::q4_1:
      return {32, 20, 32, 0, 2, 16, 0};
    case DType::q5_0:
      return {32, 22, 32, 0, -1, 32, 16};
    case DType::q5_1:
      return {32, 24, 32, 0, 2, 32, 0};
    case DType::q8_0:
      return {32, 34, 32, 0, -1, 128, 0};
    case DType::q8_1:
      return {32, 36, 32, 0, 2, 128, 0};
    case DType::q2_K:
      return {256, 84, 16, 80, 82, 4, 0};
    case DType::q3_K:
      return {256, 110, 16, 108, -1, 8, 4};
    case DType::q4_K:
      return {256, 144, 32, 0, 2, 16, 0};
    case DType::q5_K:
      return {256, 176, 32, 0, 2, 32, 0};
    case DType::q6_K:
      return {256, 210, 16, 208, -1, 64, 32};
    case DType::q8_K:
      return {256, 292, 256, -1, -1, 128, 0};
    case DType::iq4_nl:
      return {32, 18, 32, 0, -1, 16, 0};
    case DType::mxfp4:
      return {32, 17, 32, -1, -1, 16, 0};
    case DType::iq4_xs:
      return {256, 136, 32, 0, -1, 16, 0};
    case DType::nvfp4:
      return {64, 36, 16, -1, -1, 16, 0};
    case DType::q1_0:
      return {128, 18, 128, 0, -1, 2, 0};
    case DType::q2_0:
      return {64, 18, 64, 0, -1, 4, 1};
    case DType::tq1_0:
      return {256, 54, 256, 52, -1, 0, 1};
    case DType::tq2_0:
      return {256, 66, 256, 64, -1, 4, 1};
    case DType::iq2_xxs:
      return {256, 66, 32, 0, -1, 0, 0};
    case DType::iq2_xs:
      return {256, 74, 16, 0, -1, 0, 0};
    case DType::iq2_s:
      return {256, 82, 16, 0, -1, 0, 0};
    case DType::iq3_xxs:
      return {256, 98, 32, 0, -1, 0, 0};
    case DType::iq3_s:
      return {256, 110, 32, 0, -1, 0, 0};
    case DType::iq1_s:
      return {256, 50, 32, 0, -1, 0, 0};
    case DType::iq1_m:
      return {256, 56, 16, -1, -1, 0, 0};
    default:
      throw std::logic_error("no format of blocks");
  }
}

Number code_at(DType format, int i) {
  switch (format) {
    case DType::q4_0:
    case DType::iq4_nl:
      return {nibble(2, 16, i), {}};
    case DType::q4_1:
      return {nibble(4, 16, i), {}};
    case DType::q5_0:
      return {nibble(6, 16, i), {2 + i / 8, i % 8, 1}};
    case DType::q5_1:
      return {nibble(8, 16, i), {4 + i / 8, i % 8, 1}};
    case DType::q8_0:
      return {{2 + i, 0, 8}, {}, true};
    case DType::q8_1:
    case DType::q8_K:
      return {{4 + i, 0, 8}, {}, true};
    case DType::q2_K:
      return {pair(16, i), {}};
    case DType::q3_K:
      return {pair(32, i), single(0, i)};
    case DType::q4_K:
      return {nibble(16, 32, i), {}};
    case DType::q5_K:
      return {nibble(48, 32, i), single(16, i)};
    case DType::q6_K:
      return {nibble(0, 64, i), pair(128, i)};
    case DType::mxfp4:
      return {nibble(1, 16, i), {}};
    case DType::iq4_xs:
      return {nibble(8, 16, i), {}};
    case DType::nvfp4:
      return {nibble(4, 8, i), {}};
    case DType::q1_0:
      return {{2 + i / 8, i % 8, 1}, {}};
    case DType::q2_0:
      return {{2 + i / 4, i % 4 * 2, 2}, {}};
    case DType::tq2_0:
      return {pair(0, i), {}};
    default:
      throw std::logic_error("no format of blocks");
  }
}

Number scale_at(DType format, int g) {
  switch (format) {
    case DType::q2_K:
      return {{g, 0, 4}, {}};
    case DType::q3_K:
      return {{96 + g % 8, g / 8 * 4, 4}, {104 + g % 4, g / 4 * 2, 2}};
    case DType::q4_K:
    case DType::q5_K:
      return six_bits(4, g, false);
    case DType::q6_K:
      return {{192 + g, 0, 8}, {}, true};
    case DType::iq4_xs:
      return {{4 + g / 2, g % 2 * 4, 4}, {2 + g / 4, g % 4 * 2, 2}};
    case DType::nvfp4:
      return {{g, 0, 8}, {}};
    default:
      throw std::logic_error("a format whose groups have no scales");
  }
}

Number minimum_at(DType format, int g) {
  switch (format) {
    case DType::q2_K:
      return {{g, 4, 4}, {}};
    case DType::q4_K:
    case DType::q5_K:
      return six_bits(4, g, true);
    default:
      throw std::logic_error("a format whose groups have no minima");
  }
}

namespace {

/// iq1_m keeps an f16 in the upper nibbles of its last four words.
Number step_nibble(int i) { return {{49 + 2 * i, 4, 4}, {}}; }

}  // namespace

float read_step(DType format, const std::byte* block) {
  const int step = layout_of(format).step;
  if (step >= 0) return read_f16(block, step);
  switch (format) {
    case DType::q8_K: {
      float wide = 0;
      std::memcpy(&wide, block, sizeof(wide));
      return wide;
    }
    case DType::iq1_m: {
      int bits = 0;
      for (int i = 0; i < 4; ++i) bits |= read(block, step_nibble(i)) << 4 * i;
      return static_cast<float>(to_real(F16{static_cast<std::uint16_t>(bits)}));
    }
    default:
      throw std::logic_error("a format without an f16 or f32 step");
  }
}

void write_step(DType format, std::byte* block, float step) {
  const int at = layout_of(format).step;
  if (at >= 0) return write_f16(block, at, step);
  switch (format) {
    case DType::q8_K:
      std::memcpy(block, &step, sizeof(step));
      return;
    case DType::mxfp4:
      block[0] = static_cast<std::byte>(std::ilogb(step) + 127);
      return;
    case DType::nvfp4:
      for (int g = 0; g < 4; ++g) write(block, {{g, 3, 4}, {}}, std::ilogb(step) + 7);
      return;
    default:
      for (int i = 0; i < 4; ++i) write(block, step_nibble(i), from_real<F16>(step).bits >> 4 * i);
  }
}

float read_f16(const std::byte* block, int byte) {
  F16 x{};
  std::memcpy(&x.bits, block + byte, sizeof(x.bits));
  return static_cast<float>(to_real(x));
}

void write_f16(std::byte* block, int byte, float value) {
  const auto x = from_real<F16>(value);
  std::memcpy(block + byte, &x.bits, sizeof(x.bits));
}

}  // namespace kernelgen::reference
