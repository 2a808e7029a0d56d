#pragma once
#include "device/math.hpp"
#include "engines/panel_cpu.hpp"

namespace kg::detail {

/// One value of each of `lanes` rows. Row bodies use it like a scalar; it converts from one.
template <class F>
struct Simd {
  using Vector = typename Blocking<F>::Vector;
  static constexpr u32 lanes = Blocking<F>::lanes;

  Vector value;

  Simd() = default;
  KG_DEVICE Simd(F number) : value(number) {}
  KG_DEVICE explicit Simd(Vector value) : value(value) {}

  /// Applies f to each lane.
  template <class Op>
  KG_DEVICE Simd each(Op f) const {
    alignas(Vector) F line[lanes];
    __builtin_memcpy(line, &value, sizeof(line));
#pragma clang loop vectorize(assume_safety) vectorize_width(lanes) interleave_count(1)
    for (u32 l = 0; l < lanes; ++l) line[l] = f(line[l]);
    return Simd(*reinterpret_cast<const Vector*>(line));
  }

  friend KG_DEVICE Simd operator+(Simd a, Simd b) { return Simd(a.value + b.value); }
  friend KG_DEVICE Simd operator-(Simd a, Simd b) { return Simd(a.value - b.value); }
  friend KG_DEVICE Simd operator*(Simd a, Simd b) { return Simd(a.value * b.value); }
  friend KG_DEVICE Simd operator/(Simd a, Simd b) { return Simd(a.value / b.value); }
  KG_DEVICE Simd operator-() const { return Simd(-value); }
  KG_DEVICE Simd& operator+=(Simd b) { return *this = *this + b; }
  /// A NaN in either operand propagates.
  friend KG_DEVICE Simd maximum(Simd a, Simd b) {
    return Simd(((a.value > b.value) | (a.value != a.value)) ? a.value : b.value);
  }
  friend KG_DEVICE Simd minimum(Simd a, Simd b) {
    return Simd(((a.value < b.value) | (a.value != a.value)) ? a.value : b.value);
  }
  friend KG_DEVICE Simd fma(Simd a, Simd b, Simd c) { return Simd(multiply_add(a.value, b.value, c.value)); }
  friend KG_DEVICE Simd exp(Simd x) {
    return x.each([](F v) KG_INLINE { return kg::exp(v); });
  }
  friend KG_DEVICE Simd log(Simd x) {
    return x.each([](F v) KG_INLINE { return kg::log(v); });
  }
  friend KG_DEVICE Simd sqrt(Simd x) {
    return x.each([](F v) KG_INLINE { return kg::sqrt(v); });
  }
};

}  // namespace kg::detail
