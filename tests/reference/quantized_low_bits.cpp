// Formats of one and two bits and of base-3 digits.
#include <cmath>

#include "quantized.hpp"

namespace kernelgen::reference {
namespace {

/// Each element has a sign; the step is their mean magnitude.
void quantize_signs(const float* x, std::byte* block) {
  float sum = 0;
  for (int i = 0; i < 128; ++i) {
    sum += std::fabs(x[i]);
    write(block, code_at(DType::q1_0, i), x[i] >= 0 ? 1 : 0);
  }
  write_f16(block, 0, sum / 128);
}

/// q2_0: the step is the largest magnitude, other than NaN.
void quantize_q2_0(const float* x, std::byte* block) {
  float step = 0;
  for (int i = 0; i < 64; ++i)
    if (std::fabs(x[i]) > step) step = std::fabs(x[i]);
  const float inverse = step > 0 ? 1 / step : 0;
  write_f16(block, 0, step);
  for (int i = 0; i < 64; ++i) {
    const int code = truncated(std::round(x[i] * inverse)) + 1;
    write(block, code_at(DType::q2_0, i), code < 0 ? 0 : code > 3 ? 3 : code);
  }
}

/// The code of tq1_0 and tq2_0, of which 8 and 2 bits count. ggml rounds to a long: what no integer of 64 bits holds becomes
/// the least, whose low bits are 0; those of floats that no i32 holds are too.
int ternary_code(float x) {
  const float rounded = std::round(x);
  return (std::fabs(rounded) < 0x1p31f ? static_cast<int>(rounded) : 0) + 1;
}

void quantize_ternary(DType format, const float* x, std::byte* block) {
  float step = 0;  // forgotten at a NaN
  for (int i = 0; i < 256; ++i) step = step > std::fabs(x[i]) ? step : std::fabs(x[i]);
  const float inverse = step != 0 ? 1 / step : 0;
  write_f16(block, layout_of(format).step, step);
  if (format == DType::tq2_0) {
    for (int i = 0; i < 256; ++i) write(block, code_at(format, i), ternary_code(x[i] * inverse));
    return;
  }
  // Five digits, `apart` elements between them, in a byte; the last four bytes have four. Rounded up, such that digits come
  // from the top.
  const auto write_byte = [&](int byte, int first, int apart, int digits) {
    std::uint8_t q = 0;
    for (int n = 0; n < 5; ++n) {
      const int code = n < digits ? ternary_code(x[first + n * apart] * inverse) : 0;
      q = static_cast<std::uint8_t>(q * 3 + code);
    }
    block[byte] = static_cast<std::byte>((q * 256 + 242) / 243);
  };
  for (int b = 0; b < 32; ++b) write_byte(b, b, 32, 5);
  for (int b = 0; b < 16; ++b) write_byte(32 + b, 160 + b, 16, 5);
  for (int b = 0; b < 4; ++b) write_byte(48 + b, 240 + b, 4, 4);
}

}  // namespace

void quantize_low_bits(DType format, const float* x, std::byte* block) {
  if (format == DType::q1_0) return quantize_signs(x, block);
  if (format == DType::q2_0) return quantize_q2_0(x, block);
  quantize_ternary(format, x, block);
}

}  // namespace kernelgen::reference
