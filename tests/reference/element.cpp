#include "element.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace kernelgen::reference {
namespace {

int bias_of(SmallFormat format) { return (1 << (format.exponent_bits - 1)) - 1; }
std::uint32_t sign_bit(SmallFormat format) { return 1u << (format.exponent_bits + format.mantissa_bits); }

/// Largest exponent field with an empty mantissa: infinity, where the format has one.
std::uint32_t infinity_bits(SmallFormat format) {
  return ((1u << format.exponent_bits) - 1) << format.mantissa_bits;
}

std::uint32_t nan_bits(SmallFormat format) {
  return format.has_infinity ? infinity_bits(format) | 1u << (format.mantissa_bits - 1)
                             : sign_bit(format) - 1;
}

}  // namespace

Real decode(SmallFormat format, std::uint32_t bits) {
  const bool negative = (bits & sign_bit(format)) != 0;
  const std::uint32_t magnitude = bits & (sign_bit(format) - 1);
  const std::uint32_t exponent = magnitude >> format.mantissa_bits;
  const std::uint32_t mantissa = magnitude & ((1u << format.mantissa_bits) - 1);
  Real value;
  if (format.has_infinity ? magnitude > infinity_bits(format) : magnitude == nan_bits(format)) {
    value = std::numeric_limits<Real>::quiet_NaN();
  } else if (format.has_infinity && magnitude == infinity_bits(format)) {
    value = std::numeric_limits<Real>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<Real>(mantissa), 1 - bias_of(format) - format.mantissa_bits);
  } else {
    value = std::ldexp(static_cast<Real>(mantissa + (1u << format.mantissa_bits)),
                       static_cast<int>(exponent) - bias_of(format) - format.mantissa_bits);
  }
  return negative ? -value : value;
}

std::uint32_t encode(SmallFormat format, Real value) {
  const std::uint32_t sign = std::signbit(value) ? sign_bit(format) : 0;
  const std::uint32_t too_large = format.has_infinity ? infinity_bits(format) : nan_bits(format) - 1;
  if (std::isnan(value)) return sign | nan_bits(format);
  if (std::isinf(value)) return sign | too_large;
  if (value == 0) return sign;

  // The value as a whole number of quanta: the distance of neighbouring elements around it.
  int exponent = 0;
  const Real magnitude = std::abs(value);
  std::frexp(magnitude, &exponent);
  const int smallest = 1 - bias_of(format);
  const int leading = std::max(exponent - 1, smallest);
  const auto quanta =
      static_cast<std::uint32_t>(std::rint(std::ldexp(magnitude, format.mantissa_bits - leading)));
  // Rounding up to the next power of two carries into the exponent field, as it should.
  const std::uint32_t bits =
      quanta + (static_cast<std::uint32_t>(leading - smallest) << format.mantissa_bits);
  return sign | std::min(bits, too_large);
}

Real real_at(const Elements& elements, std::int64_t i) {
  return visit(elements.dtype(), [&]<class T>(std::type_identity<T>) {
    return to_real(elements.as<T>()[static_cast<std::size_t>(i)]);
  });
}

std::uint64_t bits_at(const Elements& elements, std::int64_t i) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, elements.at(i), size_of(elements.dtype()));
  return bits;
}

std::string describe(const Elements& elements, std::int64_t i) {
  std::array<char, 96> text{};
  const char* format = is_float(elements.dtype()) ? "%.20Lg (0x%0*llx)" : "%.0Lf (0x%0*llx)";
  std::snprintf(text.data(), text.size(), format, real_at(elements, i),
                static_cast<int>(2 * size_of(elements.dtype())),
                static_cast<unsigned long long>(bits_at(elements, i)));
  return text.data();
}

Elements make_elements(DType dtype, std::span<const Real> values) {
  Elements result(dtype, static_cast<std::int64_t>(values.size()));
  visit(dtype, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < values.size(); ++i) result.as<T>()[i] = from_real<T>(values[i]);
  });
  return result;
}

Elements make_scalar(DType dtype, Real value) { return make_elements(dtype, {&value, 1}); }

bool holds(DType dtype, Real value) {
  return is_float(dtype) || real_at(make_scalar(dtype, value), 0) == value;
}

Elements slice(const Elements& elements, std::int64_t first, std::int64_t count) {
  return {elements.dtype(), std::vector(elements.at(first), elements.at(first + count))};
}

Elements all_patterns(DType dtype) {
  if (size_of(dtype) > 2) throw std::logic_error("too many bit patterns");
  const std::int64_t count = size_of(dtype) == 1 ? 256 : 65536;
  Elements result(dtype, count);
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(result.at(i), &i, size_of(dtype));
  return result;
}

}  // namespace kernelgen::reference
