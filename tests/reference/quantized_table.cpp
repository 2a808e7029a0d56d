// Formats whose codes name a value of a table.
#include <array>
#include <cmath>

#include "quantized.hpp"

namespace kernelgen::reference {
namespace {

constexpr std::array<int, 16> iq4_nl_values{-127, -104, -83, -65, -49, -35, -22, -10,
                                            1,    13,   25,  38,  53,  69,  89,  113};
/// Twice the values of e2m1: a sign, two bits of exponent, one of mantissa.
constexpr std::array<int, 16> mxfp4_values{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};

/// The code of iq4_nl's nearest value, of the greater one of two that are as near; distances are rounded to f32.
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

/// The codes come from a step that lets the extreme element be -127; the step written is then the one which, for these
/// codes, leaves the least sum of squares, each weighted by its element's square.
void quantize_iq4_nl(const float* x, std::byte* block) {
  float extreme = 0;
  for (int i = 0; i < 32; ++i)
    if (std::fabs(x[i]) > std::fabs(extreme)) extreme = x[i];
  if (std::fabs(extreme) < 1e-15f) return;
  const float inverse = 1 / (extreme / -127);
  float products = 0, squares = 0;
  for (int i = 0; i < 32; ++i) {
    const int code = nearest_code(inverse * x[i]);
    write(block, code_at(DType::iq4_nl, i), code);
    const auto value = static_cast<float>(table_value(DType::iq4_nl, code));
    const float weight = x[i] * x[i];
    products += weight * value * x[i];
    squares += weight * value * value;
  }
  write_f16(block, 0, squares > 0 ? products / squares : 0);
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
  for (int i = 0; i < 32; ++i) {
    int nearest = 0;
    float least = std::fabs(0 * step - x[i]);
    for (int code = 1; code < 16; ++code) {
      const float error = std::fabs(static_cast<float>(table_value(DType::mxfp4, code)) * step - x[i]);
      if (error < least) nearest = code, least = error;
    }
    write(block, code_at(DType::mxfp4, i), nearest);
  }
}

}  // namespace

int table_value(DType format, int code) {
  return (format == DType::mxfp4 ? mxfp4_values : iq4_nl_values)[static_cast<std::size_t>(code)];
}

float mxfp4_step(int exponent) { return std::ldexp(1.0f, exponent - 128); }

void quantize_table(DType format, const float* x, std::byte* block) {
  return format == DType::mxfp4 ? quantize_mxfp4(x, block) : quantize_iq4_nl(x, block);
}

}  // namespace kernelgen::reference
