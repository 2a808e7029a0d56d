#pragma once
/// Rotary position embedding (Su et al., "RoFormer", 2021): pairs of elements turned by an angle.
#include "device/convert.hpp"
#include "device/math.hpp"
#include "device/walk.hpp"

namespace kg {

/// Turns pair i of x by the angle whose cosine and sine are given. The operands of `layout` are the pairs' first
/// elements in x, cos and sin, and those in y; a pair's second element is `x_pair` and `y_pair` further on.
template <class T>
KG_DEVICE void rope(const T* x, const T* cos, const T* sin, T* y, const Strided<4>& layout, i64 x_pair,
                    i64 y_pair) {
  const auto turn = [&](const Position<4>& at) KG_INLINE {
    const auto a = widen(x[at.offset[0]]), b = widen(x[at.offset[0] + x_pair]);
    const auto c = widen(cos[at.offset[1]]), s = widen(sin[at.offset[2]]);
    y[at.offset[3]] = convert<T>(fma(a, c, -(b * s)));
    y[at.offset[3] + y_pair] = convert<T>(fma(a, s, b * c));
  };
  for_each_position(layout, turn, Steps<1, 1, 1, 1>{}, Steps<2, 1, 1, 2>{});
}

}  // namespace kg
