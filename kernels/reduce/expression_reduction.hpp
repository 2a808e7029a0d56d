#pragma once
/// Reductions whose parts a manifest writes as expressions.
#include "device/quotient.hpp"
#include "elementwise/activation.hpp"
#include "reduce/reduction.hpp"

namespace kg {
namespace detail {

template <class T, bool Integer = is_integer<T>>
struct ExpressionState {
  using type = widened<T>;
};
template <class T>
struct ExpressionState<T, true> {
  using type = i64;
};

}  // namespace detail

/// `Parts` holds the expressions as static functions of States: identity(lowest, highest), of(x),
/// combine(a, b) and finish(total, count). The State is f32 for narrow floats and i64 for integers.
template <class Parts, class T>
struct ExpressionReduction {
  using State = typename detail::ExpressionState<T>::type;
  static constexpr StateKind kind = StateKind::expression;
  static constexpr bool rounds = !is_integer<T>;

  static KG_DEVICE State identity() {
    return convert<State>(Parts::identity(lowest_value<State>(), highest_value<State>()));
  }
  static KG_DEVICE State of(T x, u32) { return convert<State>(Parts::of(static_cast<State>(widen(x)))); }
  static KG_DEVICE State combine(State a, State b) { return convert<State>(Parts::combine(a, b)); }
  template <class Out>
  static KG_DEVICE Out finish(State total, u64 count) {
    return convert<Out>(Parts::finish(total, static_cast<State>(count)));
  }
};

}  // namespace kg
