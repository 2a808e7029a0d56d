#include "run/number.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace kernelgen::tool {
namespace {

template <class T>
T load(const void* element) {
  T value;
  std::memcpy(&value, element, sizeof value);
  return value;
}

/// Value of a float of at most 16 bits: sign, exponent, mantissa. `top_is_special`: the largest exponent
/// holds infinity and NaN, as in IEEE 754; without it only the pattern of all ones is NaN (OCP e4m3fn).
double small_float(std::uint32_t bits, int exponent_bits, int mantissa_bits, bool top_is_special) {
  const std::uint32_t mantissa_mask = (1u << mantissa_bits) - 1;
  const std::uint32_t exponent_mask = (1u << exponent_bits) - 1;
  const std::uint32_t mantissa = bits & mantissa_mask;
  const std::uint32_t exponent = bits >> mantissa_bits & exponent_mask;
  const double sign = bits >> (exponent_bits + mantissa_bits) != 0 ? -1 : 1;
  if (exponent == exponent_mask) {
    if (top_is_special && mantissa == 0) return sign * std::numeric_limits<double>::infinity();
    if (top_is_special || mantissa == mantissa_mask) return std::numeric_limits<double>::quiet_NaN();
  }
  const int bias = static_cast<int>(exponent_mask >> 1);
  const std::uint32_t significand = exponent == 0 ? mantissa : mantissa | 1u << mantissa_bits;
  const int scale = (exponent == 0 ? 1 : static_cast<int>(exponent)) - bias - mantissa_bits;
  return sign * std::ldexp(significand, scale);
}

}  // namespace

Number read_number(DType dtype, const void* element) {
  switch (dtype) {
    case DType::u8:
      return std::int64_t{load<std::uint8_t>(element)};
    case DType::u32:
      return std::int64_t{load<std::uint32_t>(element)};
    case DType::i16:
      return std::int64_t{load<std::int16_t>(element)};
    case DType::i32:
      return std::int64_t{load<std::int32_t>(element)};
    case DType::i64:
      return load<std::int64_t>(element);
    case DType::bf16:
      return small_float(load<std::uint16_t>(element), 8, 7, true);
    case DType::f16:
      return small_float(load<std::uint16_t>(element), 5, 10, true);
    case DType::f32:
      return double{load<float>(element)};
    case DType::f64:
      return load<double>(element);
    case DType::f8e4m3:
      return small_float(load<std::uint8_t>(element), 4, 3, false);
    default:
      break;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

std::string to_text(DType dtype, const Number& number) {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) return fmt::format("{}", *integer);
  const double real = std::get<double>(number);
  // Every value of the smaller floats is a float, whose shortest text is shorter than the double's.
  return dtype == DType::f64 ? fmt::format("{}", real) : fmt::format("{}", static_cast<float>(real));
}

}  // namespace kernelgen::tool
