#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "common/format.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen {
namespace {

template <class T>
void put(void* element, T value) {
  std::memcpy(element, &value, sizeof value);
}

/// Shared wording of errors from operators and named operations.
[[noreturn]] void refuse(const std::string& number, DType dtype, const std::string& range) {
  throw Error(Code::invalid_argument,
              formatted("scalar: {} with a tensor of {}, which holds {}", number, name_of(dtype), range));
}

/// The number as an integer. Throws Error if inexact: the kernel would compute with a different number.
template <class T>
void put_integer(void* element, const Scalar& s, DType dtype) {
  using Limits = std::numeric_limits<T>;
  // Both limits are exact as doubles.
  constexpr double low = static_cast<double>(Limits::lowest());
  const double end = std::ldexp(1.0, Limits::digits);
  const bool is_whole = !s.is_real() || (std::isfinite(s.real()) && s.real() == std::trunc(s.real()));
  const bool fits = s.is_real() ? s.real() >= low && s.real() < end : std::in_range<T>(s.integer());
  const std::string number = is_whole && fits ? ""
                             : s.is_real()    ? formatted("{}", s.real())
                                              : std::to_string(s.integer());
  if (!is_whole) refuse(number, dtype, "whole numbers; convert it first: to_dtype(x, f32)");
  if (!fits) refuse(number, dtype, formatted("{} to {}", +Limits::lowest(), +Limits::max()));
  put(element, s.is_real() ? static_cast<T>(s.real()) : static_cast<T>(s.integer()));
}

/// Encodes a binary format without its sign, rounded once to nearest even. `saturated` replaces values beyond
/// the largest finite one.
struct Format {
  int mantissa_bits;
  int lowest_exponent;  ///< of normal numbers
  std::uint16_t saturated, nan;
};

std::uint16_t narrow(double x, const Format& format) {
  if (std::isnan(x)) return format.nan;
  const double magnitude = std::fabs(x);
  if (std::isinf(magnitude)) return format.saturated;
  const int exponent =
      magnitude == 0 ? format.lowest_exponent : std::max(std::ilogb(magnitude), format.lowest_exponent);
  // In units in the last place; nearbyint rounds to even in the default mode. A carry propagates into the
  // exponent field.
  const double units = std::nearbyint(std::ldexp(magnitude, format.mantissa_bits - exponent));
  const double bits = units + std::ldexp(exponent - format.lowest_exponent, format.mantissa_bits);
  return bits >= format.saturated ? format.saturated : static_cast<std::uint16_t>(bits);
}

constexpr Format f16_format{10, -14, 0x7c00, 0x7e00};
constexpr Format bf16_format{7, -126, 0x7f80, 0x7fc0};
constexpr Format f8e4m3_format{3, -6, 0x7e, 0x7f};

/// An integer as a double that rounds to any format of at most 51 bits as the integer itself would.
double sticky(std::int64_t x) {
  const auto magnitude = x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
  if (magnitude >> 53 == 0) return static_cast<double>(x);
  const auto cut = static_cast<double>(magnitude >> 11 | ((magnitude & 0x7ff) != 0));
  return std::copysign(cut * 2048, static_cast<double>(x));
}

}  // namespace

void Scalar::store(DType dtype, void* element) const {
  const double x = is_real_ ? real_ : sticky(integer_);
  const unsigned sign = std::signbit(x) ? 1 : 0;
  switch (dtype) {
    case DType::u8:
      return put_integer<std::uint8_t>(element, *this, dtype);
    case DType::u32:
      return put_integer<std::uint32_t>(element, *this, dtype);
    case DType::i16:
      return put_integer<std::int16_t>(element, *this, dtype);
    case DType::i32:
      return put_integer<std::int32_t>(element, *this, dtype);
    case DType::i64:
      return put_integer<std::int64_t>(element, *this, dtype);
    case DType::f32:
      return put(element, is_real_ ? static_cast<float>(real_) : static_cast<float>(integer_));
    case DType::f64:
      return put(element, real());
    case DType::f16:
      return put(element, static_cast<std::uint16_t>(narrow(x, f16_format) | sign << 15));
    case DType::bf16:
      return put(element, static_cast<std::uint16_t>(narrow(x, bf16_format) | sign << 15));
    case DType::f8e4m3:
      return put(element, static_cast<std::uint8_t>(narrow(x, f8e4m3_format) | sign << 7));
    default:
      throw Error(Code::invalid_argument,
                  formatted("scalar: elements of {} are stored in blocks; a scalar needs a plain dtype",
                            name_of(dtype)));
  }
}

}  // namespace kernelgen
