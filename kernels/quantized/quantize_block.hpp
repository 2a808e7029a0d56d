#pragma once
/// Quantizes blocks of 32 to 128 elements, each by one thread.
#include "device/convert.hpp"
#include "quantized/block_format.hpp"
#include "quantized/step_search.hpp"

namespace kg {

namespace detail {

/// Truncates toward zero; out-of-range values give the lowest integer, as on x86.
KG_DEVICE i32 truncated(f32 x) {
  return x >= -0x1p31f && x < 0x1p31f ? static_cast<i32>(x) : -0x7fffffff - 1;
}
KG_DEVICE i32 low_byte(i32 x) { return static_cast<i8>(x); }
KG_DEVICE f32 inverse_of(f32 step) { return step != 0 ? 1.0f / step : 0.0f; }
/// Rounds half away from zero. Adding 0.5 would round a magnitude just below one half up.
KG_DEVICE f32 rounded(f32 x) {
  const f32 whole = native::trunc(x);
  return magnitude(x - whole) >= 0.5f ? whole + (x < 0 ? -1.0f : 1.0f) : whole;
}
/// The largest magnitude; one that is NaN erases those before it.
KG_DEVICE f32 top_of(const f32* x, int n) {
  f32 top = 0;
  for (int i = 0; i < n; ++i) top = top > magnitude(x[i]) ? top : magnitude(x[i]);
  return abs(top);  // may be -0 if all elements are zero
}

/// Writes the codes of elements i and i + 16 as nibbles; write_fifth_bits writes their fifth bits.
template <class Code>
KG_DEVICE void write_nibbles(u8 (&q)[16], Code code) {
  for (int i = 0; i < 16; ++i) q[i] = static_cast<u8>((code(i) & 15) | (code(i + 16) & 15) << 4);
}
template <class Code>
KG_DEVICE void write_fifth_bits(u8 (&high)[4], Code code) {
  for (int b = 0; b < 4; ++b) {
    u32 bits = 0;
    for (int i = 0; i < 8; ++i) bits |= static_cast<u32>(code(8 * b + i) >> 4 & 1) << i;
    high[b] = static_cast<u8>(bits);
  }
}

/// q4_0 and q5_0: the extreme element gets the lowest of 2 · zero codes.
template <int zero>
struct SymmetricCodes {
  const f32* x;
  f32 step, inverse;

  KG_DEVICE explicit SymmetricCodes(const f32* x)
      : x(x), step(extreme_of(x, 32) / -zero), inverse(inverse_of(step)) {}
  KG_DEVICE i32 operator()(int i) const {
    const i32 code = low_byte(truncated(x[i] * inverse + (zero + 0.5f)));
    return code < 2 * zero - 1 ? code : 2 * zero - 1;
  }
};

/// q4_1 and q5_1: the least element gets code 0, the greatest the last code.
template <int last>
struct CodesBetween {
  const f32* x;
  f32 least, step, inverse;

  KG_DEVICE explicit CodesBetween(const f32* x) : x(x), least(0x1.fffffep127f) {
    f32 greatest = -least;
    for (int i = 0; i < 32; ++i) {
      if (x[i] < least) least = x[i];
      if (x[i] > greatest) greatest = x[i];
    }
    step = (greatest - least) / last;
    inverse = inverse_of(step);
  }
  KG_DEVICE i32 operator()(int i) const {
    const i32 code = low_byte(truncated((x[i] - least) * inverse + 0.5f));
    return code < last ? code : last;
  }
};

/// q8_0 and q8_1.
struct ByteCodes {
  const f32* x;
  f32 step, inverse;

  KG_DEVICE explicit ByteCodes(const f32* x) : x(x), step(top_of(x, 32) / 127), inverse(inverse_of(step)) {}
  KG_DEVICE i32 operator()(int i) const { return low_byte(truncated(rounded(x[i] * inverse))); }
};

KG_DEVICE void quantize_block(const f32* x, q4_0& block) {
  const SymmetricCodes<8> codes(x);
  block.d = narrow<f16>(codes.step);
  write_nibbles(block.q, codes);
}
KG_DEVICE void quantize_block(const f32* x, q4_1& block) {
  const CodesBetween<15> codes(x);
  block.d = narrow<f16>(codes.step);
  block.m = narrow<f16>(codes.least);
  write_nibbles(block.q, codes);
}
KG_DEVICE void quantize_block(const f32* x, q5_0& block) {
  const SymmetricCodes<16> codes(x);
  block.d = narrow<f16>(codes.step);
  write_nibbles(block.q, codes);
  write_fifth_bits(block.high, codes);
}
KG_DEVICE void quantize_block(const f32* x, q5_1& block) {
  const CodesBetween<31> codes(x);
  block.d = narrow<f16>(codes.step);
  block.m = narrow<f16>(codes.least);
  write_nibbles(block.q, codes);
  write_fifth_bits(block.high, codes);
}
KG_DEVICE void quantize_block(const f32* x, q8_0& block) {
  const ByteCodes codes(x);
  block.d = narrow<f16>(codes.step);
  for (int i = 0; i < 32; ++i) block.q[i] = static_cast<i8>(codes(i));
}
KG_DEVICE void quantize_block(const f32* x, q8_1& block) {
  const ByteCodes codes(x);
  block.d = narrow<f16>(codes.step);
  i32 sum = 0;
  for (int i = 0; i < 32; ++i) {
    block.q[i] = static_cast<i8>(codes(i));
    sum += codes(i);
  }
  block.s = narrow<f16>(static_cast<f32>(sum) * codes.step);
}

/// Codes of iq4_nl's values for an inverse step, and how the step fits 32 elements best for these codes: by the least
/// squared error, weighted by the squares of the elements.
struct TableCodes {
  const f32* x;
  f32 inverse;

  static KG_DEVICE i32 value(i32 code) {
    return static_cast<i8>(BlockFormat<iq4_nl>::values(static_cast<u32>(code)));
  }
  KG_DEVICE i32 operator()(int i) const {
    const f32 y = inverse * x[i];
    if (y <= -127) return 0;
    if (y >= 113) return 15;
    i32 code = 15;  // code of the least value above y
    for (i32 c = 15; c > 0; --c)
      if (y < static_cast<f32>(value(c))) code = c;
    return y - static_cast<f32>(value(code - 1)) < static_cast<f32>(value(code)) - y ? code - 1 : code;
  }
  KG_DEVICE StepFit fit() const {
    StepFit fit;
    for (int i = 0; i < 32; ++i) {
      const f32 value = static_cast<f32>(TableCodes::value((*this)(i))), weight = x[i] * x[i];
      fit.products += weight * value * x[i];
      fit.squares += weight * value * value;
    }
    return fit;
  }
};
/// iq4_nl: codes for the step that maps the extreme element to the table's least value.
KG_DEVICE void quantize_block(const f32* x, iq4_nl& block) {
  const f32 largest = extreme_of(x, 32);
  const bool is_zero = magnitude(largest) < 1e-15f;
  const TableCodes codes{x, is_zero ? 0.0f : 1.0f / (largest / -127.0f)};
  const StepFit fit = codes.fit();
  block.d = narrow<f16>(!is_zero && fit.squares > 0 ? fit.products / fit.squares : 0.0f);
  write_nibbles(block.q, [&](int i) KG_INLINE { return is_zero ? 0 : codes(i); });
}

/// The code of e2m1 whose value times `step` is nearest, the first of several.
KG_DEVICE i32 nearest_e2m1(f32 x, f32 step) {
  i32 nearest = 0;
  f32 least = magnitude(0 * step - x);
  for (i32 code = 1; code < 16; ++code) {
    const f32 value = static_cast<f32>(static_cast<i8>(BlockFormat<mxfp4>::values(static_cast<u32>(code))));
    const f32 error = magnitude(value * step - x);
    if (error < least) {
      nearest = code;
      least = error;
    }
  }
  return nearest;
}

/// floor(log2(x)) for x > 0, with the logarithm rounded to f32 first: the last values below a power of two
/// round up to it.
KG_DEVICE i32 floor_of_log2(f32 x) {
  const bool is_small = x < 0x1p-100f;
  const u32 bits = bit_cast<u32>(is_small ? x * 0x1p64f : x);
  const i32 above = static_cast<i32>(bits >> 23) - 126 - (is_small ? 64 : 0);  // x is below 2^above
  // The distance of the logarithm below `above`, to first order: only distances around 2^-18 matter.
  const f64 below = static_cast<f64>(0x800000u - (bits & 0x7fffffu)) * 0x1p-24 * 0x1.71547652b82fep+0;
  return static_cast<f32>(static_cast<f64>(above) - below) >= static_cast<f32>(above) ? above : above - 1;
}
KG_DEVICE void quantize_block(const f32* x, mxfp4& block) {
  f32 top = 0;
  for (int i = 0; i < 32; ++i)
    if (magnitude(x[i]) > top) top = magnitude(x[i]);
  const bool has_logarithm = top > 0 && top <= 0x1.fffffep127f;
  const u32 e = has_logarithm ? static_cast<u32>(floor_of_log2(top) - 2 + 127) & 255u : 0u;
  const f32 step = BlockFormat<mxfp4>::step(e);
  block.e = static_cast<u8>(e);
  write_nibbles(block.q, [&](int i) KG_INLINE { return nearest_e2m1(x[i], step); });
}

/// The code of an e4m3 float without a sign, as ggml rounds: halves up, and all from 256 on to 448.
KG_DEVICE u32 to_e4m3(f32 x) {
  if (!(x > 0)) return 0;
  if (x >= 256) return 0x7e;
  const u32 bits = bit_cast<u32>(x);
  if (bits >> 23 < 121) {  // below 2^-6
    const u32 mantissa = static_cast<u32>(x * 512.0f + 0.5f);
    return mantissa < 7 ? mantissa : 7;
  }
  const u32 code = ((bits >> 19) - (120u << 4) + 1) >> 1;
  return code < 15u << 3 ? code : 0x7e;
}
/// nvfp4: each 16 elements have a scale that makes the largest magnitude 6.
KG_DEVICE void quantize_block(const f32* x, nvfp4& block) {
  KG_NO_UNROLL for (int g = 0; g < 4; ++g, x += 16) {
    f32 top = 0;
    for (int i = 0; i < 16; ++i)
      if (magnitude(x[i]) > top) top = magnitude(x[i]);
    const u32 scale = to_e4m3(top / 6.0f);
    const f32 step = BlockFormat<nvfp4>::step(scale);
    block.scale[g] = static_cast<u8>(scale);
    for (int i = 0; i < 8; ++i)
      block.q[8 * g + i] = static_cast<u8>(nearest_e2m1(x[i], step) | nearest_e2m1(x[i + 8], step) << 4);
  }
}

/// q1_0: the step is the mean magnitude.
KG_DEVICE void quantize_block(const f32* x, q1_0& block) {
  f32 sum = 0;
  for (int b = 0; b < 16; ++b) {
    u32 bits = 0;
    for (int i = 0; i < 8; ++i) {
      sum += magnitude(x[8 * b + i]);
      bits |= static_cast<u32>(x[8 * b + i] >= 0) << i;
    }
    block.q[b] = static_cast<u8>(bits);
  }
  block.d = narrow<f16>(abs(sum) / 128);
}

/// q2_0: the step is the largest magnitude.
KG_DEVICE void quantize_block(const f32* x, q2_0& block) {
  const f32 step = magnitude(extreme_of(x, 64)), inverse = inverse_of(step);
  block.d = narrow<f16>(step);
  for (int b = 0; b < 16; ++b) {
    u32 byte = 0;
    for (int i = 0; i < 4; ++i)
      byte |= static_cast<u32>(bounded(truncated(rounded(x[4 * b + i] * inverse)) + 1, 0, 3)) << 2 * i;
    block.q[b] = static_cast<u8>(byte);
  }
}

}  // namespace detail

}  // namespace kg
