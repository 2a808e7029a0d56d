#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "float_math.hpp"

// bf16 and the floats of 8 bits.
namespace kernelgen::amdgpu {

/// What `clamp` makes of a result: from 0 to 1, a NaN is 0.
template <class T>
T clamped(T value) {
  return value > T(0) ? (value < T(1) ? value : T(1)) : T(0);
}

inline float of_bf16(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t{bits} << 16); }

/// To the nearest, ties to even; a NaN stays quiet.
inline std::uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<std::uint32_t>(x);
  if (x != x) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// A float of 8 bits: gfx94x's have no infinity, no -0 and NaN as 0x80 (FNUZ), gfx950's and gfx12's are OCP's.
struct Float8Format {
  int mantissa, bias;
  bool fnuz, has_infinity;
};
inline constexpr Float8Format fp8_fnuz{3, 8, true, false}, bf8_fnuz{2, 16, true, false},
    fp8_ocp{3, 7, false, false}, bf8_ocp{2, 15, false, true};

inline Float8Format fp8_format(const Isa& isa, bool is_bf8) {
  const bool fnuz = isa.major == 9 && !(isa.minor == 5);
  return is_bf8 ? (fnuz ? bf8_fnuz : bf8_ocp) : (fnuz ? fp8_fnuz : fp8_ocp);
}

inline float of_float8(std::uint32_t bits, const Float8Format& f) {
  bits &= 0xff;
  const bool negative = bits >= 0x80;
  const int exponent = static_cast<int>(bits & 0x7f) >> f.mantissa;
  const int fraction = static_cast<int>(bits) & ((1 << f.mantissa) - 1);
  const int most = 0x7f >> f.mantissa;
  if (f.fnuz && bits == 0x80) return quiet_nan<float>();
  if (f.has_infinity && exponent == most)
    return fraction == 0 ? with_sign(infinity<float>(), negative) : quiet_nan<float>();
  if (!f.fnuz && !f.has_infinity && (bits & 0x7f) == 0x7f) return quiet_nan<float>();
  const float magnitude = exponent == 0 ? std::ldexp(static_cast<float>(fraction), 1 - f.bias - f.mantissa)
                                        : std::ldexp(static_cast<float>(fraction + (1 << f.mantissa)),
                                                     exponent - f.bias - f.mantissa);
  return negative ? -magnitude : magnitude;
}

/// Rounded to the nearest even, or, with `random`, up if the bits that fall off plus its bits carry. What is too large
/// becomes NaN, or infinity where the format has one.
/// Hardware saturates if MODE's FP16_OVFL is set, which is not simulated.
inline std::uint32_t to_float8(float x, const Float8Format& f, const std::uint32_t* random = nullptr) {
  const bool negative = is_negative(x);
  const std::uint32_t sign = negative ? 0x80 : 0;
  const std::uint32_t nan = f.fnuz ? 0x80 : sign | 0x7f;
  const std::uint32_t over =
      f.has_infinity ? sign | static_cast<std::uint32_t>((0x7f >> f.mantissa) << f.mantissa) : nan;
  if (is_nan(x)) return nan;
  if (is_infinite(x)) return over;
  const float magnitude = std::fabs(x);
  if (magnitude == 0) return f.fnuz ? 0 : sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - f.bias);
  const double steps = std::ldexp(static_cast<double>(magnitude), f.mantissa - exponent);
  double count = std::floor(steps);
  const double rest = steps - count;
  if (random != nullptr) {
    if (rest + std::ldexp(static_cast<double>(*random >> 12), -20) >= 1) ++count;
  } else if (rest > 0.5 || (rest == 0.5 && std::fmod(count, 2) == 1)) {
    ++count;
  }
  if (count >= (2 << f.mantissa)) {
    count /= 2;
    ++exponent;
  }
  if (count == 0) return f.fnuz ? 0 : sign;
  const bool normal = count >= (1 << f.mantissa);
  const auto fraction = static_cast<std::uint32_t>(count) - (normal ? 1u << f.mantissa : 0u);
  const std::uint32_t field = normal ? static_cast<std::uint32_t>(exponent + f.bias) : 0;
  const std::uint32_t bits = field << f.mantissa | fraction;
  const std::uint32_t largest = f.fnuz ? 0x7f : f.has_infinity ? (over & 0x7f) - 1 : 0x7e;
  return bits > largest ? over : sign | bits;
}

}  // namespace kernelgen::amdgpu
