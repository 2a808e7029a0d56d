#pragma once
/// Rotary position embedding (Su et al., "RoFormer", 2021): pairs of elements turned by an angle.
#include "device/convert.hpp"
#include "device/math.hpp"
#include "device/neighbours.hpp"
#include "engines/walk.hpp"
#include "plan/run.hpp"

namespace kg {

/// Turns the pair (a, b) by the angle whose cosine and sine are given.
template <class T>
KG_DEVICE void turn(T& a, T& b, T cos, T sin) {
  const auto first = widen(a), second = widen(b), c = widen(cos), s = widen(sin);
  a = convert<T>(fma(first, c, -(second * s)));
  b = convert<T>(fma(first, s, second * c));
}

/// The pairs of a tensor. The operands of a layout are the pairs' first elements in x, cos and sin, and those in y; a
/// pair's second element is `x_pair` and `y_pair` further on.
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

  /// A run of pairs that are neighbours in all operands, as many as one access moves.
  KG_DEVICE void turn_run(const Position<4>& at) const {
    constexpr int length = access_elements(sizeof(T));
    T a[length], b[length], c[length], s[length];
    load_neighbours(x + at.offset[0], a);
    load_neighbours(x + at.offset[0] + x_pair, b);
    load_neighbours(cos + at.offset[1], c);
    load_neighbours(sin + at.offset[2], s);
    KG_UNROLL for (int e = 0; e < length; ++e) turn(a[e], b[e], c[e], s[e]);
    store_neighbours(y + at.offset[3], a);
    store_neighbours(y + at.offset[3] + y_pair, b);
  }
};

template <class T>
KG_DEVICE void rope(const Pairs<T>& pairs, const Strided<4>& layout) {
  for_each_position(
      layout, [&](const Position<4>& at) KG_INLINE { pairs.turn_one(at); }, Steps<1, 1, 1, 1>{},
      Steps<2, 1, 1, 2>{});
}

/// `layout` walks the runs.
template <class T>
KG_DEVICE void rope_runs(const Pairs<T>& pairs, const Strided<4>& layout) {
  for_each_position(layout, [&](const Position<4>& at) KG_INLINE { pairs.turn_run(at); });
}

/// Queries and keys at once.
template <class T>
KG_DEVICE void rope_both(const Pairs<T>& q, const Strided<4>& q_layout, const Pairs<T>& k,
                         const Strided<4>& k_layout) {
  for_each_position_of(
      q_layout, [&](const Position<4>& at) KG_INLINE { q.turn_one(at); }, k_layout,
      [&](const Position<4>& at) KG_INLINE { k.turn_one(at); }, Steps<1, 1, 1, 1>{}, Steps<2, 1, 1, 2>{});
}

template <class T>
KG_DEVICE void rope_both_runs(const Pairs<T>& q, const Strided<4>& q_layout, const Pairs<T>& k,
                              const Strided<4>& k_layout) {
  for_each_position_of(
      q_layout, [&](const Position<4>& at) KG_INLINE { q.turn_run(at); }, k_layout,
      [&](const Position<4>& at) KG_INLINE { k.turn_run(at); });
}

}  // namespace kg
