#pragma once
/// Rotary position embedding (Su et al., "RoFormer", 2021): rotates pairs of elements by an angle.
#include "device/contiguous.hpp"
#include "device/convert.hpp"
#include "device/math.hpp"
#include "elementwise/strided_loop.hpp"
#include "plan/span.hpp"

namespace kg {

/// Rotates the pair (a, b) by the angle with the given cosine and sine.
template <class T>
KG_DEVICE void turn(T& a, T& b, T cos, T sin) {
  const auto first = widen(a), second = widen(b), c = widen(cos), s = widen(sin);
  a = convert<T>(fma(first, c, -(second * s)));
  b = convert<T>(fma(first, s, second * c));
}

/// The pairs of a tensor. The operands of a layout are the pairs' first elements in x, cos, sin, and the
/// first elements in y. A pair's second element is `x_pair` (`y_pair`) elements further.
template <class T>
struct Pairs {
  const T *x, *cos, *sin;
  T* y;
  i64 x_pair, y_pair;

  KG_DEVICE Pairs(const T* x, const T* cos, const T* sin, T* y, i64 x_pair, i64 y_pair)
      : x(x), cos(cos), sin(sin), y(y), x_pair(x_pair), y_pair(y_pair) {}

  KG_DEVICE void turn_one(const Position<4>& at) const {
    T a = x[at.offset[0]], b = x[at.offset[0] + x_pair];
    turn(a, b, cos[at.offset[1]], sin[at.offset[2]]);
    y[at.offset[3]] = a;
    y[at.offset[3] + y_pair] = b;
  }

  /// Rotates pairs that are contiguous in all operands, as many as one access loads.
  KG_DEVICE void turn_run(const Position<4>& at) const {
    constexpr int length = access_elements(sizeof(T));
    T a[length], b[length], c[length], s[length];
    load_contiguous(x + at.offset[0], a);
    load_contiguous(x + at.offset[0] + x_pair, b);
    load_contiguous(cos + at.offset[1], c);
    load_contiguous(sin + at.offset[2], s);
    KG_UNROLL for (int e = 0; e < length; ++e) turn(a[e], b[e], c[e], s[e]);
    store_contiguous(y + at.offset[3], a);
    store_contiguous(y + at.offset[3] + y_pair, b);
  }
};

/// Rotates queries and keys in one launch. Either layout may be empty.
template <class T>
KG_DEVICE void rope(const Pairs<T>& q, const Strided<4>& q_layout, const Pairs<T>& k,
                    const Strided<4>& k_layout) {
  for_each_position(
      q_layout, [&](const Position<4>& at) KG_INLINE { q.turn_one(at); }, k_layout,
      [&](const Position<4>& at) KG_INLINE { k.turn_one(at); }, InnerStrides<1, 1, 1, 1>{},
      InnerStrides<2, 1, 1, 2>{});
}

/// The elements of the layouts are spans of contiguous pairs.
template <class T>
KG_DEVICE void rope_spans(const Pairs<T>& q, const Strided<4>& q_layout, const Pairs<T>& k,
                          const Strided<4>& k_layout) {
  for_each_position(
      q_layout, [&](const Position<4>& at) KG_INLINE { q.turn_run(at); }, k_layout,
      [&](const Position<4>& at) KG_INLINE { k.turn_run(at); });
}

}  // namespace kg
