// Formats whose codes are the elements divided by one step, rounded.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "quantized.hpp"

namespace kernelgen::reference {
namespace {

float reciprocal(float step) { return step != 0 ? 1 / step : 0; }
int low_byte(int value) { return static_cast<std::int8_t>(value); }

/// The element of the largest magnitude, with its sign: the first of several; 0 if all are 0 or NaN.
float extreme(const float* x, int n) {
  float found = 0;
  for (int i = 0; i < n; ++i)
    if (std::fabs(x[i]) > std::fabs(found)) found = x[i];
  return found;
}

/// The largest magnitude of those after the last NaN; NaN if that is the last element.
float magnitude(const float* x, int n) {
  float found = 0;
  for (int i = 0; i < n; ++i) found = found > std::fabs(x[i]) ? found : std::fabs(x[i]);
  return found;
}

/// q4_0 and q5_0: the extreme element gets the lowest code.
void quantize_symmetric(DType format, const float* x, std::byte* block) {
  const BlockLayout layout = layout_of(format);
  const float step = extreme(x, 32) / static_cast<float>(-layout.zero);
  const float inverse = reciprocal(step);
  write_f16(block, layout.step, step);
  for (int i = 0; i < 32; ++i) {
    const float raised = x[i] * inverse + (static_cast<float>(layout.zero) + 0.5f);
    write(block, code_at(format, i), std::min(layout.levels - 1, low_byte(truncated(raised))));
  }
}

/// q4_1 and q5_1: the least element gets code 0, the greatest the last.
void quantize_between(DType format, const float* x, std::byte* block) {
  const BlockLayout layout = layout_of(format);
  float least = std::numeric_limits<float>::max(), greatest = -least;
  for (int i = 0; i < 32; ++i) {
    if (x[i] < least) least = x[i];
    if (x[i] > greatest) greatest = x[i];
  }
  const float step = (greatest - least) / static_cast<float>(layout.levels - 1);
  const float inverse = reciprocal(step);
  write_f16(block, layout.step, step);
  write_f16(block, layout.second, least);
  for (int i = 0; i < 32; ++i) {
    const int code = truncated((x[i] - least) * inverse + 0.5f);
    write(block, code_at(format, i), std::min(layout.levels - 1, low_byte(code)));
  }
}

/// q8_0 and q8_1, whose second number is the sum of what the codes stand for.
void quantize_bytes(DType format, const float* x, std::byte* block) {
  const BlockLayout layout = layout_of(format);
  const float step = magnitude(x, 32) / 127;
  const float inverse = reciprocal(step);
  write_f16(block, layout.step, step);
  int sum = 0;
  for (int i = 0; i < 32; ++i) {
    const int code = low_byte(truncated(std::round(x[i] * inverse)));
    write(block, code_at(format, i), code);
    sum += code;
  }
  if (layout.second >= 0) write_f16(block, layout.second, static_cast<float>(sum) * step);
}

/// q8_K: the extreme element gets code -127. Sums of 16 codes each follow the codes.
void quantize_long(const float* x, std::byte* block) {
  const float largest = extreme(x, 256);
  if (largest == 0) return;
  const float inverse = -127 / largest;
  const float step = 1 / inverse;
  std::memcpy(block, &step, sizeof(step));
  for (int g = 0; g < 16; ++g) {
    std::int16_t sum = 0;
    for (int i = 16 * g; i < 16 * g + 16; ++i) {
      const int code = low_byte(std::min(127, nearest(inverse * x[i])));
      write(block, code_at(DType::q8_K, i), code);
      sum = static_cast<std::int16_t>(sum + code);
    }
    std::memcpy(block + 260 + 2 * g, &sum, sizeof(sum));
  }
}

}  // namespace

void quantize_simple(DType format, const float* x, std::byte* block) {
  switch (format) {
    case DType::q4_0:
    case DType::q5_0:
      return quantize_symmetric(format, x, block);
    case DType::q4_1:
    case DType::q5_1:
      return quantize_between(format, x, block);
    case DType::q8_K:
      return quantize_long(x, block);
    default:
      return quantize_bytes(format, x, block);
  }
}

}  // namespace kernelgen::reference
