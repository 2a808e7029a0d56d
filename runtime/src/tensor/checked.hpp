#pragma once
#include <cstdint>

namespace kernelgen {

/// Arithmetic on untrusted numbers: an overflow of 64 bits propagates through all further operations.
class Checked {
 public:
  constexpr Checked(std::int64_t value) : value_(value) {}

  constexpr bool fits() const { return fits_; }
  constexpr std::int64_t value_or(std::int64_t other) const { return fits_ ? value_ : other; }

  friend constexpr Checked operator+(Checked a, Checked b) {
    std::int64_t value = 0;
    return {!__builtin_add_overflow(a.value_, b.value_, &value) && a.fits_ && b.fits_, value};
  }
  friend constexpr Checked operator-(Checked a, Checked b) {
    std::int64_t value = 0;
    return {!__builtin_sub_overflow(a.value_, b.value_, &value) && a.fits_ && b.fits_, value};
  }
  friend constexpr Checked operator*(Checked a, Checked b) {
    std::int64_t value = 0;
    return {!__builtin_mul_overflow(a.value_, b.value_, &value) && a.fits_ && b.fits_, value};
  }
  /// An overflowed value equals nothing.
  friend constexpr bool operator==(Checked a, Checked b) {
    return a.fits_ && b.fits_ && a.value_ == b.value_;
  }

 private:
  constexpr Checked(bool fits, std::int64_t value) : value_(value), fits_(fits) {}

  std::int64_t value_;
  bool fits_ = true;
};

}  // namespace kernelgen
