#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernelgen/dtype.hpp"

/// What every operation means, in the plainest words we have for it. Nothing here shares code with the
/// kernels or the runtime: both are judged by it. Speed matters only as far as a test has to wait.
namespace kernelgen::reference {

/// The x87 format holds every value of every dtype exactly, and 11 bits more than f64.
using Real = long double;
static_assert(std::numeric_limits<Real>::digits == 64, "the reference needs an 80-bit long double");

/// Elements of the formats that C++ has no type for, as their bits.
struct Bf16 {
  std::uint16_t bits;
};
struct F16 {
  std::uint16_t bits;
};
struct F8e4m3 {
  std::uint8_t bits;
};

/// A binary floating-point format with at most 16 bits.
struct SmallFormat {
  int exponent_bits;
  int mantissa_bits;
  bool has_infinity;  ///< without one, only the all-ones pattern is NaN and too large a value gives the
                      ///< largest
};

template <class T>
inline constexpr SmallFormat small_format{};
template <>
inline constexpr SmallFormat small_format<Bf16>{8, 7, true};
template <>
inline constexpr SmallFormat small_format<F16>{5, 10, true};
template <>
inline constexpr SmallFormat small_format<F8e4m3>{4, 3, false};

Real decode(SmallFormat format, std::uint32_t bits);
/// Rounds once, to nearest even.
std::uint32_t encode(SmallFormat format, Real value);

template <class T>
inline constexpr bool is_integer_element = std::is_integral_v<T>;
template <class T>
inline constexpr bool is_small_float =
    std::is_same_v<T, Bf16> || std::is_same_v<T, F16> || std::is_same_v<T, F8e4m3>;

/// The value of an element, exactly.
template <class T>
Real to_real(T x) {
  if constexpr (is_small_float<T>) {
    return decode(small_format<T>, x.bits);
  } else {
    return static_cast<Real>(x);
  }
}

/// The element for a value. Floats: to nearest even, once; f8e4m3 saturates. Integers: toward zero,
/// saturating, NaN gives 0.
template <class T>
T from_real(Real value) {
  if constexpr (is_small_float<T>) {
    return T{static_cast<decltype(T::bits)>(encode(small_format<T>, value))};
  } else if constexpr (is_integer_element<T>) {
    using Limits = std::numeric_limits<T>;
    if (std::isnan(value)) return 0;
    if (value <= static_cast<Real>(Limits::lowest())) return Limits::lowest();
    if (value >= static_cast<Real>(Limits::max())) return Limits::max();
    return static_cast<T>(value);
  } else {
    return static_cast<T>(value);
  }
}

/// The element for an integer. Integers: the low bits. Floats: as from_real.
template <class T>
T from_integer(std::int64_t value) {
  if constexpr (is_integer_element<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(value));
  } else {
    return from_real<T>(static_cast<Real>(value));
  }
}

/// Calls f(std::type_identity<T>{}) with the element type of `dtype`.
template <class F>
decltype(auto) visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::u8:
      return f(std::type_identity<std::uint8_t>{});
    case DType::u32:
      return f(std::type_identity<std::uint32_t>{});
    case DType::i16:
      return f(std::type_identity<std::int16_t>{});
    case DType::i32:
      return f(std::type_identity<std::int32_t>{});
    case DType::i64:
      return f(std::type_identity<std::int64_t>{});
    case DType::bf16:
      return f(std::type_identity<Bf16>{});
    case DType::f16:
      return f(std::type_identity<F16>{});
    case DType::f32:
      return f(std::type_identity<float>{});
    case DType::f64:
      return f(std::type_identity<double>{});
    case DType::f8e4m3:
      return f(std::type_identity<F8e4m3>{});
    default:
      break;
  }
  throw std::logic_error("no such dtype");
}

/// Elements of one dtype, one after another.
class Elements {
 public:
  Elements() = default;
  Elements(DType dtype, std::int64_t count)
      : dtype_(dtype), bytes_(static_cast<std::size_t>(count) * size_of(dtype)) {}
  Elements(DType dtype, std::vector<std::byte> bytes) : dtype_(dtype), bytes_(std::move(bytes)) {}

  DType dtype() const { return dtype_; }
  std::int64_t count() const { return static_cast<std::int64_t>(bytes_.size() / size_of(dtype_)); }
  std::vector<std::byte>& bytes() { return bytes_; }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  const std::byte* at(std::int64_t i) const {
    return bytes_.data() + static_cast<std::size_t>(i) * size_of(dtype_);
  }
  std::byte* at(std::int64_t i) { return bytes_.data() + static_cast<std::size_t>(i) * size_of(dtype_); }

  /// T is the element type of the dtype, or an unsigned integer of its size.
  template <class T>
  std::span<T> as() {
    return {reinterpret_cast<T*>(bytes_.data()), static_cast<std::size_t>(count())};
  }
  template <class T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes_.data()), static_cast<std::size_t>(count())};
  }

 private:
  DType dtype_ = DType::f32;
  std::vector<std::byte> bytes_;
};

/// Value of element i, exactly.
Real real_at(const Elements& elements, std::int64_t i);
/// The bits of element i, zero-extended.
std::uint64_t bits_at(const Elements& elements, std::int64_t i);
/// "1.5 (0x3fc00000)"
std::string describe(const Elements& elements, std::int64_t i);

/// Values converted to `dtype` by the cast rules.
Elements make_elements(DType dtype, std::span<const Real> values);
/// One element: a scalar argument as the operation receives it.
Elements make_scalar(DType dtype, Real value);
/// Whether that number may be given with elements of the dtype: floats round it, integers have to be it.
bool holds(DType dtype, Real value);
/// Elements [first, first + count).
Elements slice(const Elements& elements, std::int64_t first, std::int64_t count);
/// Every bit pattern of a dtype of one or two bytes, in order.
Elements all_patterns(DType dtype);

}  // namespace kernelgen::reference
