// Formats whose codes name a value of a table.
#include <algorithm>
#include <array>
#include <cmath>

#include "quantized.hpp"

namespace kernelgen::reference {
namespace {

constexpr std::array<int, 16> iq4_nl_values{-127, -104, -83, -65, -49, -35, -22, -10,
                                            1,    13,   25,  38,  53,  69,  89,  113};
/// Twice the values of e2m1: a sign, two bits of exponent, one of mantissa.
constexpr std::array<int, 16> mxfp4_values{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// The code of iq4_nl's and iq4_xs's nearest value, of the greater one of two that are as near; distances are rounded to f32.
int nearest_code(float x) {
  if (x <= -127) return 0;
  if (x >= 113) return 15;
  int code = 15;  // of the least value above x; NaN is below none
  for (int i = 15; i > 0; --i)
    if (x < static_cast<float>(iq4_nl_values[static_cast<std::size_t>(i)])) code = i;
  const auto below = static_cast<float>(table_value(DType::iq4_nl, code - 1));
  const auto above = static_cast<float>(table_value(DType::iq4_nl, code));
  return x - below < above - x ? code - 1 : code;
}

/// The element of the largest magnitude, the first of several.
float extreme(const float* x) {
  float found = 0;
  for (int i = 0; i < 32; ++i)
    if (std::fabs(x[i]) > std::fabs(found)) found = x[i];
  return found;
}

/// For the codes of 32 elements by `inverse`, the sums whose quotient is the step with the least sum of squares, each
/// weighted by its element's square.
struct Fit {
  float products = 0, squares = 0;

  Fit(const float* x, float inverse) {
    for (int i = 0; i < 32; ++i) {
      const auto value = static_cast<float>(table_value(DType::iq4_nl, nearest_code(inverse * x[i])));
      const float weight = x[i] * x[i];
      products += weight * value * x[i];
      squares += weight * value * value;
    }
  }
  float step() const { return squares > 0 ? products / squares : 0; }
};

/// The codes come from a step that lets the extreme element be -127; the step written is then the one that fits them.
void quantize_iq4_nl(const float* x, std::byte* block) {
  const float largest = extreme(x);
  if (std::fabs(largest) < 1e-15f) return;
  const float inverse = 1 / (largest / -127);
  for (int i = 0; i < 32; ++i) write(block, code_at(DType::iq4_nl, i), nearest_code(inverse * x[i]));
  write_f16(block, 0, Fit(x, inverse).step());
}

/// The step of a group of iq4_xs: of those that fit codes by sixteen others, the one that leaves least.
float search_step(const float* x) {
  const float largest = extreme(x);
  if (std::fabs(largest) < 1e-15f) return 0;
  const Fit first(x, 1 / (-largest / -127));
  float step = first.step(), best = step * first.products;
  for (int shift = -7; shift <= 7; ++shift) {
    const Fit fit(x, static_cast<float>(shift - 127) / largest);
    if (fit.squares > 0 && fit.products * fit.products > best * fit.squares) {
      step = fit.step();
      best = step * fit.products;
    }
  }
  return step;
}

/// The extreme step gets the scale -32. Codes are chosen for the block's step before it is rounded.
void quantize_iq4_xs(const float* x, std::byte* block) {
  std::array<float, 8> steps{};
  float largest = 0;
  for (int g = 0; g < 8; ++g) {
    const float step = steps[static_cast<std::size_t>(g)] = search_step(x + 32 * g);
    if (std::fabs(step) > std::fabs(largest)) largest = step;
  }
  const float whole = -largest / 32, inverse = whole != 0 ? 1 / whole : 0;
  write_f16(block, 0, whole);
  for (int g = 0; g < 8; ++g) {
    const int scale = std::clamp(nearest(inverse * steps[static_cast<std::size_t>(g)]), -32, 31);
    const float step = whole * static_cast<float>(scale), inverse_step = step != 0 ? 1 / step : 0;
    write(block, scale_at(DType::iq4_xs, g), scale + 32);
    for (int i = 32 * g; i < 32 * g + 32; ++i)
      write(block, code_at(DType::iq4_xs, i), nearest_code(inverse_step * x[i]));
  }
}

/// The code of e2m1 whose value times `step` is nearest, the first of several.
int nearest_e2m1(float x, float step) {
  int nearest = 0;
  float least = std::fabs(0 * step - x);
  for (int code = 1; code < 16; ++code) {
    const float error = std::fabs(static_cast<float>(table_value(DType::mxfp4, code)) * step - x);
    if (error < least) nearest = code, least = error;
  }
  return nearest;
}

/// As ggml_fp32_to_ue4m3: halves are rounded up, all from 256 on are 448.
int to_e4m3(float x) {
  if (!(x > 0)) return 0;
  if (x < 0x1p-6f) return std::min(7, static_cast<int>(x * 512 + 0.5f));
  if (x >= 256) return 0x7e;
  const int exponent = std::ilogb(x), sixteenths = static_cast<int>(std::ldexp(x, 4 - exponent));
  const int code = (exponent + 7) * 8 + (sixteenths + 1) / 2 - 8;
  return code >= 15 * 8 ? 0x7e : code;
}

/// Each 16 elements have a scale that makes the largest magnitude 6.
void quantize_nvfp4(const float* x, std::byte* block) {
  for (int g = 0; g < 4; ++g, x += 16) {
    float magnitude = 0;
    for (int i = 0; i < 16; ++i)
      if (std::fabs(x[i]) > magnitude) magnitude = std::fabs(x[i]);
    const int scale = to_e4m3(magnitude / 6);
    write(block, scale_at(DType::nvfp4, g), scale);
    for (int i = 0; i < 16; ++i)
      write(block, code_at(DType::nvfp4, 16 * g + i), nearest_e2m1(x[i], nvfp4_step(scale)));
  }
}

/// The exponent is that of the largest magnitude less two, which makes it 4 or more of at most 6; as the logarithm in
/// f32 has it, which for the last few numbers below a power of two is that power's.
void quantize_mxfp4(const float* x, std::byte* block) {
  float magnitude = 0;
  for (int i = 0; i < 32; ++i)
    if (std::fabs(x[i]) > magnitude) magnitude = std::fabs(x[i]);
  const auto logarithm = static_cast<float>(std::log2(static_cast<long double>(magnitude)));
  const int exponent = magnitude > 0 ? truncated(std::floor(logarithm) - 2 + 127) & 0xff : 0;
  block[0] = static_cast<std::byte>(exponent);
  const float step = mxfp4_step(exponent);
  for (int i = 0; i < 32; ++i) write(block, code_at(DType::mxfp4, i), nearest_e2m1(x[i], step));
}

}  // namespace

int table_value(DType format, int code) {
  const bool is_e2m1 = format == DType::mxfp4 || format == DType::nvfp4;
  return (is_e2m1 ? mxfp4_values : iq4_nl_values)[static_cast<std::size_t>(code)];
}

float mxfp4_step(int exponent) { return std::ldexp(1.0f, exponent - 128); }

float nvfp4_step(int e4m3) {
  const int exponent = e4m3 >> 3 & 15, mantissa = e4m3 & 7;
  if (e4m3 == 0x7f) return 0;
  return exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -10)
                       : std::ldexp(static_cast<float>(8 + mantissa), exponent - 11);
}

void quantize_table(DType format, const float* x, std::byte* block) {
  switch (format) {
    case DType::iq4_nl:
      return quantize_iq4_nl(x, block);
    case DType::iq4_xs:
      return quantize_iq4_xs(x, block);
    case DType::mxfp4:
      return quantize_mxfp4(x, block);
    default:
      return quantize_nvfp4(x, block);
  }
}

}  // namespace kernelgen::reference
