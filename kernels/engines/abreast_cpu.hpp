#pragma once
#include "device/math.hpp"
#include "engines/panel_cpu.hpp"

namespace kg::detail {

/// The values of as many rows as a vector has lanes: bodies of rows compute with it as with a number, which it can come from.
template <class F>
struct Abreast {
  using Vector = typename Blocking<F>::Vector;
  static constexpr u32 lanes = Blocking<F>::lanes;

  Vector value;

  Abreast() = default;
  KG_DEVICE Abreast(F number) : value(number) {}
  KG_DEVICE explicit Abreast(Vector value) : value(value) {}

  /// f of each lane.
  template <class Op>
  KG_DEVICE Abreast each(Op f) const {
    alignas(Vector) F line[lanes];
    __builtin_memcpy(line, &value, sizeof(line));
#pragma clang loop vectorize(assume_safety) vectorize_width(lanes) interleave_count(1)
    for (u32 l = 0; l < lanes; ++l) line[l] = f(line[l]);
    return Abreast(*reinterpret_cast<const Vector*>(line));
  }

  friend KG_DEVICE Abreast operator+(Abreast a, Abreast b) { return Abreast(a.value + b.value); }
  friend KG_DEVICE Abreast operator-(Abreast a, Abreast b) { return Abreast(a.value - b.value); }
  friend KG_DEVICE Abreast operator*(Abreast a, Abreast b) { return Abreast(a.value * b.value); }
  friend KG_DEVICE Abreast operator/(Abreast a, Abreast b) { return Abreast(a.value / b.value); }
  KG_DEVICE Abreast& operator+=(Abreast b) { return *this = *this + b; }
  /// NaN, from either side, wins.
  friend KG_DEVICE Abreast maximum(Abreast a, Abreast b) {
    return Abreast((a.value > b.value) | (a.value != a.value) ? a.value : b.value);
  }
  friend KG_DEVICE Abreast minimum(Abreast a, Abreast b) {
    return Abreast((a.value < b.value) | (a.value != a.value) ? a.value : b.value);
  }
  friend KG_DEVICE Abreast fma(Abreast a, Abreast b, Abreast c) {
    return Abreast(multiply_add(a.value, b.value, c.value));
  }
  friend KG_DEVICE Abreast exp(Abreast x) {
    return x.each([](F v) KG_INLINE { return kg::exp(v); });
  }
  friend KG_DEVICE Abreast log(Abreast x) {
    return x.each([](F v) KG_INLINE { return kg::log(v); });
  }
  friend KG_DEVICE Abreast sqrt(Abreast x) {
    return x.each([](F v) KG_INLINE { return kg::sqrt(v); });
  }
};

}  // namespace kg::detail
