#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "common/format.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen {
namespace {

template <class T>
void put(void* element, T value) {
  std::memcpy(element, &value, sizeof value);
}

template <class T>
T saturate(double x) {
  if (std::isnan(x)) return 0;
  if (x <= static_cast<double>(std::numeric_limits<T>::lowest())) return std::numeric_limits<T>::lowest();
  if (x >= std::ldexp(1.0, std::numeric_limits<T>::digits)) return std::numeric_limits<T>::max();
  return static_cast<T>(x);
}

template <class T>
void put_integer(void* element, const Scalar& s) {
  put(element, s.is_real() ? saturate<T>(s.real()) : static_cast<T>(s.integer()));
}

/// Bits of a binary format without its sign, rounded once to nearest even. `saturated` is what lies beyond
/// the largest finite value.
struct Format {
  int mantissa_bits;
  int lowest_exponent;  ///< of a normal number
  std::uint16_t saturated, nan;
};

std::uint16_t narrow(double x, const Format& format) {
  if (std::isnan(x)) return format.nan;
  const double magnitude = std::fabs(x);
  if (std::isinf(magnitude)) return format.saturated;
  const int exponent =
      magnitude == 0 ? format.lowest_exponent : std::max(std::ilogb(magnitude), format.lowest_exponent);
  // In units of the last place; nearbyint rounds to even in the default mode. A carry runs into the exponent
  // field.
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
      return put_integer<std::uint8_t>(element, *this);
    case DType::u32:
      return put_integer<std::uint32_t>(element, *this);
    case DType::i16:
      return put_integer<std::int16_t>(element, *this);
    case DType::i32:
      return put_integer<std::int32_t>(element, *this);
    case DType::i64:
      return put_integer<std::int64_t>(element, *this);
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
      throw Error(
          Code::invalid_argument,
          formatted("scalar: no element of {} stands alone; its elements come in blocks", name_of(dtype)));
  }
}

}  // namespace kernelgen
