// The iq formats, whose indices name the entries of a table, and tq1_0, whose bytes hold five digits each: as ggml's
// dequantize_row_* computes them, one element at a time.
#include <array>
#include <cstring>
#include <stdexcept>

#include "plan/codebooks.hpp"
#include "quantized.hpp"

namespace kernelgen::reference {
namespace {

int byte(const std::byte* block, int i) { return std::to_integer<int>(block[i]); }
int word(const std::byte* block, int i) { return byte(block, i) | byte(block, i + 1) << 8; }

constexpr std::array<int, 4> iq2_values{8, 25, 43};
constexpr std::array<int, 8> iq3_xxs_values{4, 12, 20, 28, 36, 44, 52, 62};

/// Value i of an entry of eight: 2 bits each; and of an entry of four: 3 bits each.
int pair(unsigned entry, int i) { return static_cast<int>(entry >> 2 * i & 3); }
int triple(unsigned entry, int i) { return static_cast<int>(entry >> 3 * i & 7); }

/// Whether element i is negative by seven bits of signs, to which the eighth makes an even number.
bool is_negative(int seven, int i) {
  int ones = 0;
  for (int bit = 0; bit < 7; ++bit) ones += seven >> bit & 1;
  return i < 7 ? (seven >> i & 1) != 0 : ones % 2 != 0;
}

/// 28 bits of signs and a scale of 4 bits in four bytes; `eight` is the number of the eight elements.
bool is_negative_in(const std::byte* at, int eight, int i) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, sizeof(bits));
  return is_negative(static_cast<int>(bits >> 7 * eight & 127), i);
}

float signed_value(float step, int value, bool is_negative) {
  return step * static_cast<float>(value) * (is_negative ? -1.0f : 1.0f);
}

/// d (1/2 + scale) factor
float half_step(float d, int scale, float factor) { return d * (0.5f + static_cast<float>(scale)) * factor; }

float iq1_value(float d, int scale, int index, bool is_below, int i) {
  const float step = d * static_cast<float>(2 * scale + 1);
  return step * (static_cast<float>(pair(kg::iq1_grid[index], i) - 1) + (is_below ? -0.125f : 0.125f));
}

float tq1_0_value(const std::byte* block, float d, int i) {
  const int at = i < 160 ? i % 32 : i < 240 ? 32 + (i - 160) % 16 : 48 + (i - 240) % 4;
  int digit = i < 160 ? i / 32 : i < 240 ? (i - 160) / 16 : (i - 240) / 4;
  auto q = static_cast<std::uint8_t>(byte(block, at));
  for (; digit > 0; --digit) q = static_cast<std::uint8_t>(q * 3);
  return static_cast<float>((q * 3 >> 8) - 1) * d;
}

}  // namespace

float codebook_value(DType format, const std::byte* block, int i) {
  // Element i is number k of eight l of group g.
  const int g = i / 32, l = i / 8 % 4, k = i % 8;
  const float d = format == DType::iq1_m ? 0 : read_f16(block, layout_of(format).step);
  switch (format) {
    case DType::tq1_0:
      return tq1_0_value(block, d, i);
    case DType::iq2_xxs: {
      const std::byte* const at = block + 2 + 8 * g;
      return signed_value(half_step(d, byte(at, 7) >> 4, 0.25f),
                          iq2_values[pair(kg::iq2_xxs_grid[byte(at, l)], k)], is_negative_in(at + 4, l, k));
    }
    case DType::iq2_xs: {
      const int index = word(block, 2 + 8 * g + 2 * l), scale = byte(block, 66 + g) >> l / 2 * 4 & 15;
      return signed_value(half_step(d, scale, 0.25f), iq2_values[pair(kg::iq2_xs_grid[index & 511], k)],
                          is_negative(index >> 9, k));
    }
    case DType::iq2_s: {
      const int index = byte(block, 2 + 4 * g + l) | (byte(block, 66 + g) >> 2 * l & 3) << 8;
      const int scale = byte(block, 74 + g) >> l / 2 * 4 & 15;
      return signed_value(half_step(d, scale, 0.25f), iq2_values[pair(kg::iq2_s_grid[index], k)],
                          (byte(block, 34 + 4 * g + l) >> k & 1) != 0);
    }
    case DType::iq3_xxs: {
      const std::byte* const signs = block + 66 + 4 * g;
      const unsigned entry = kg::iq3_xxs_grid[byte(block, 2 + i / 4)];
      return signed_value(half_step(d, byte(signs, 3) >> 4, 0.5f), iq3_xxs_values[triple(entry, i % 4)],
                          is_negative_in(signs, l, k));
    }
    case DType::iq3_s: {
      const int index = byte(block, 2 + i / 4) | (byte(block, 66 + g) >> i / 4 % 8 & 1) << 8;
      const int scale = byte(block, 106 + g / 2) >> g % 2 * 4 & 15;
      return signed_value(d * static_cast<float>(1 + 2 * scale), 1 + 2 * triple(kg::iq3_s_grid[index], i % 4),
                          (byte(block, 74 + i / 8) >> k & 1) != 0);
    }
    case DType::iq1_s: {
      const int high = word(block, 34 + 2 * g);
      return iq1_value(d, high >> 12 & 7, byte(block, 2 + i / 8) | (high >> 3 * l & 7) << 8, high >> 15 != 0,
                       k);
    }
    case DType::iq1_m: {
      const int high = byte(block, 32 + i / 16) >> i / 8 % 2 * 4;
      const int scale = word(block, 48 + g / 2 * 2) >> (g % 2 * 6 + l / 2 * 3) & 7;
      return iq1_value(read_step(format, block), scale, byte(block, i / 8) | (high & 7) << 8, (high & 8) != 0,
                       k);
    }
    default:
      throw std::logic_error("no format with a codebook");
  }
}

}  // namespace kernelgen::reference
