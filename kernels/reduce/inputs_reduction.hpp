#pragma once
/// Reductions of an expression of several inputs, of one dtype and broadcast to one shape, and of scalars.
#include "engines/position.hpp"
#include "reduce/expression_reduction.hpp"

namespace kg {

namespace detail {

/// What a scalar of a reduction of T is computed as: as elements are, except for a float among integers.
template <class T, class S, bool AsIs = is_integer<T> && !is_integer<S>>
struct ReductionScalar {
  using type = typename ExpressionState<T>::type;
};
template <class T, class S>
struct ReductionScalar<T, S, true> {
  using type = widened<S>;
};

/// Partial results are combined after that many elements, so that sums of many elements keep their digits.
inline constexpr u32 input_run = 1024;

}  // namespace detail

template <class T, class S>
KG_DEVICE typename detail::ReductionScalar<T, S>::type reduction_scalar(S value) {
  return static_cast<typename detail::ReductionScalar<T, S>::type>(widen(value));
}

/// As ExpressionReduction, for an object `Parts` that holds scalars and whose of(…) takes a State of each of N inputs.
template <class Parts, class T, u32 N>
struct InputsReduction {
  using State = typename detail::ExpressionState<T>::type;
  static constexpr int inputs = static_cast<int>(N);

  Parts parts;
  const T* x[N];

  KG_DEVICE State identity() const {
    return convert<State>(parts.identity(lowest_value<State>(), highest_value<State>()));
  }
  KG_DEVICE State combine(State a, State b) const { return convert<State>(parts.combine(a, b)); }
  template <class Out>
  KG_DEVICE Out finish(State total, u64 count) const {
    return convert<Out>(parts.finish(total, static_cast<State>(count)));
  }
  /// An input's element.
  KG_DEVICE State load(u32 input, i64 offset) const { return static_cast<State>(widen(x[input][offset])); }
  /// That of an element of each input.
  KG_DEVICE State of(const State (&value)[N]) const { return convert<State>(of_values(parts, value)); }

 private:
  static KG_DEVICE auto of_values(const Parts& parts, const State (&v)[1]) { return parts.of(v[0]); }
  static KG_DEVICE auto of_values(const Parts& parts, const State (&v)[2]) { return parts.of(v[0], v[1]); }
  static KG_DEVICE auto of_values(const Parts& parts, const State (&v)[3]) {
    return parts.of(v[0], v[1], v[2]);
  }
  static KG_DEVICE auto of_values(const Parts& parts, const State (&v)[4]) {
    return parts.of(v[0], v[1], v[2], v[3]);
  }
};

namespace detail {

template <int N>
KG_DEVICE void add_offsets(i64 (&to)[N], const i64 (&more)[N]) {
  KG_UNROLL for (int k = 0; k < N; ++k) to[k] += more[k];
}

/// The elements of the inputs at these offsets.
template <class R>
KG_DEVICE typename R::State state_at(const R& r, const i64 (&offset)[R::inputs]) {
  typename R::State value[R::inputs];
  KG_UNROLL for (int k = 0; k < R::inputs; ++k) value[k] = r.load(static_cast<u32>(k), offset[k]);
  return r.of(value);
}

}  // namespace detail

}  // namespace kg
