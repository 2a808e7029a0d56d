#pragma once
/// Defines each reduction. A reduction of elements T has a State, the type of partial results, and
///   identity()                  the State of no elements
///   of(x, index)                the State of one element; index counts along the reduced dims
///   combine(a, b)               associative and commutative, up to rounding
///   finish<Out>(state, count)   the result of `count` elements
///   value<T>(state)             for arg reductions: the element at the index
///   rounds                      whether combine rounds
///   kind                        the kind of State; callers derive its size from it (plan/reduce.hpp)
#include "device/arithmetic.hpp"
#include "device/convert.hpp"
#include "device/order.hpp"
#include "plan/reduce.hpp"

namespace kg {

namespace detail {

template <class T, bool Integer = is_integer<T>>
struct Accumulated {
  using type = widened<T>;
};
template <class T>
struct Accumulated<T, true> {
  using type = u64;
};
template <class T>
struct Compared {
  using type = widened<T>;
};
template <>
struct Compared<u8> {
  using type = i32;
};
template <>
struct Compared<i16> {
  using type = i32;
};

}  // namespace detail

/// The accumulator type of T: f32 for narrow floats; 64 bits for integers, which wrap.
template <class T>
using accumulated = typename detail::Accumulated<T>::type;
/// The type T is compared in: at least as wide as the words that lanes exchange.
template <class T>
using compared = typename detail::Compared<T>::type;

/// The least and greatest values of a type; infinities for floats.
template <class T>
KG_DEVICE constexpr T lowest_value() {
  if constexpr (is_integer<T>)
    return Limits<T>::lowest;
  else
    return static_cast<T>(-__builtin_huge_valf());
}
template <class T>
KG_DEVICE constexpr T highest_value() {
  if constexpr (is_integer<T>)
    return Limits<T>::highest;
  else
    return static_cast<T>(__builtin_huge_valf());
}

template <class T>
struct Sum {
  using State = accumulated<T>;
  static constexpr StateKind kind = StateKind::sum;
  static constexpr bool rounds = !is_integer<T>;
  static KG_DEVICE State identity() { return State(0); }
  static KG_DEVICE State of(T x, u32) { return static_cast<State>(widen(x)); }
  /// States, or vectors of them.
  template <class V>
  static KG_DEVICE V combine(V a, V b) {
    return a + b;
  }
  template <class Out>
  static KG_DEVICE Out finish(State sum, u64) {
    return convert<Out>(sum);
  }
};

template <class T>
struct SumOfSquares : Sum<T> {
  static KG_DEVICE T of(T x, u32) { return x * x; }
};

/// The mean; of integers, truncated toward zero. With a count of 1 it is the sum, without a division, which is slow.
template <class T>
struct Mean : Sum<T> {
  template <class Out>
  static KG_DEVICE Out finish(accumulated<T> sum, u64 count) {
    if (count == 1) return convert<Out>(sum);
    if constexpr (is_integer<T>) {
      // Of no elements: 0.
      const u64 terms = count == 0 ? 1 : count;
      if constexpr (is_signed_integer<T>)
        return convert<Out>(static_cast<i64>(sum) / static_cast<i64>(terms));
      else
        return convert<Out>(sum / terms);
    } else
      return convert<Out>(sum / static_cast<accumulated<T>>(count));
  }
};

template <class T>
struct Product : Sum<T> {
  using State = accumulated<T>;
  static KG_DEVICE State identity() { return State(1); }
  template <class V>
  static KG_DEVICE V combine(V a, V b) {
    return a * b;
  }
};

/// The maximum; NaN propagates.
template <class T>
struct Max {
  using State = compared<T>;
  static constexpr StateKind kind = StateKind::extreme;
  static constexpr bool rounds = false;
  static KG_DEVICE State identity() { return lowest_value<State>(); }
  static KG_DEVICE State of(T x, u32) { return widen(x); }
  /// States, or vectors of them.
  template <class V>
  static KG_DEVICE V combine(V a, V b) {
    return maximum(a, b);
  }
  template <class Out>
  static KG_DEVICE Out finish(State extreme, u64) {
    return convert<Out>(extreme);
  }
};
template <class T>
struct Min : Max<T> {
  using State = compared<T>;
  static KG_DEVICE State identity() { return highest_value<State>(); }
  template <class V>
  static KG_DEVICE V combine(V a, V b) {
    return minimum(a, b);
  }
};

/// Zero if and only if x is zero (NaN is not). An integer instead of a comparison, whose masks would fill a
/// GPU's scalar registers.
template <class T>
KG_DEVICE u32 nonzero(T x) {
  if constexpr (sizeof(T) == 8) {
    const u64 bits = bit_cast<u64>(x);
    return static_cast<u32>(bits) | static_cast<u32>(bits >> 32) << (is_integer<T> ? 0 : 1);
  } else if constexpr (is_integer<T>) {
    return static_cast<u32>(x);
  } else if constexpr (sizeof(T) == 4) {
    return bit_cast<u32>(x) << 1;
  } else {
    return static_cast<u32>(x.bits) << (33 - 8 * sizeof(T));
  }
}

/// Whether `count` elements are not zero: 1, or all that there are.
template <class T>
struct Nonzero {
  using State = u32;
  static constexpr StateKind kind = StateKind::truth;
  static constexpr bool rounds = false;
  static KG_DEVICE State identity() { return 0; }
  /// Bit 0 of zero, bit 1 or 2 of others. The minimum with 1 would be compiled to a comparison.
  static KG_DEVICE State of(T x, u32) {
    const u32 bits = nonzero(x);
    return 1u << (bits < 2 ? bits : 2);
  }
  static KG_DEVICE State combine(State a, State b) { return a | b; }
  template <class Out>
  static KG_DEVICE Out finish(State seen, u64 count) {
    return static_cast<Out>(count == 1 ? seen > 1 : (seen & 1) == 0);
  }
};

/// The index of the greatest (Sign 1) or least (Sign -1) element: the first of several, and the first NaN if
/// there is one. Order key and index are combined in one number if they fit, so that the maximum of these is
/// the result.
template <class T, int Sign, bool Wide = sizeof(T) == 8>
struct ArgExtreme {
  using State = u64;
  static constexpr StateKind kind = StateKind::index;
  static constexpr bool rounds = false;
  static KG_DEVICE State identity() { return 0; }
  static KG_DEVICE State of(T x, u32 index) {
    return static_cast<u64>(order_bits<Sign>(static_cast<compared<T>>(widen(x)))) << 32 | ~index;
  }
  static KG_DEVICE State combine(State a, State b) { return b > a ? b : a; }
  template <class Out>
  static KG_DEVICE Out finish(State state, u64) {
    return ~static_cast<u32>(state);
  }
  template <class Out>
  static KG_DEVICE Out value(State state) {
    return convert<Out>(value_of_order<Sign, compared<T>>(static_cast<u32>(state >> 32)));
  }
};
template <class T, int Sign>
struct ArgExtreme<T, Sign, true> {
  struct State {
    u64 order, index;
  };
  static constexpr StateKind kind = StateKind::index;
  static constexpr bool rounds = false;
  static KG_DEVICE State identity() { return {0, Limits<u32>::highest}; }
  static KG_DEVICE State of(T x, u32 index) { return {order_bits<Sign>(x), index}; }
  static KG_DEVICE State combine(State a, State b) {
    return b.order > a.order || (b.order == a.order && b.index < a.index) ? b : a;
  }
  template <class Out>
  static KG_DEVICE Out finish(State state, u64) {
    return static_cast<u32>(state.index);
  }
  template <class Out>
  static KG_DEVICE Out value(State state) {
    return value_of_order<Sign, T>(state.order);
  }
};

/// Destination of results with indices, and with values unless `values` is null.
template <class T>
struct WithPositions {
  T* values;
  u32* positions;
  KG_DEVICE WithPositions(T* values, u32* positions) : values(values), positions(positions) {}
};

/// Stores the result of `count` elements at `output`.
template <class R, class Out>
KG_DEVICE void store_result(Out* y, u64 output, typename R::State state, u64 count) {
  y[output] = R::template finish<Out>(state, count);
}
template <class R, class T>
KG_DEVICE void store_result(const WithPositions<T>& y, u64 output, typename R::State state, u64 count) {
  if (y.values) y.values[output] = R::template value<T>(state);
  y.positions[output] = R::template finish<u32>(state, count);
}

/// Reductions by the names of their operations.
namespace reduction {

template <class T>
using sum = Sum<T>;
template <class T>
using mean = Mean<T>;
template <class T>
using prod = Product<T>;
template <class T>
using max = Max<T>;
template <class T>
using min = Min<T>;
template <class T>
using max_with_index = ArgExtreme<T, 1>;
template <class T>
using min_with_index = ArgExtreme<T, -1>;
template <class T>
using nonzero = Nonzero<T>;

}  // namespace reduction
}  // namespace kg
