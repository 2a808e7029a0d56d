#pragma once
/// Reductions in one pass whose usual formulas take two: softmax's maximum and sum, mean and variance. For rows that are read
/// again by each pass. Spans of elements are reduced by the formula in two passes (of_span: reduces_spans in row_source.hpp), and
/// the spans' States combined.
#include "device/rough.hpp"
#include "engines/row_source.hpp"
#include "reduce/reduction.hpp"

namespace kg {

/// The sum of e^x, where the greatest x is 0.
template <class T>
struct SumOfExp : Sum<T> {
  static KG_DEVICE T of(T x, u32) { return rough_exp(x); }
};
#if KG_GPU
/// Terms that would be subnormal count as 0: the greatest is 1.
template <>
struct SumOfExp<f32> : Sum<f32> {
  static KG_DEVICE f32 of(f32 x, u32) { return decay(Rough(x)); }
};
#endif

/// The sum of e^(x - top), where top is the greatest element so far; the sum is rescaled when top increases
/// (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018). NaN propagates.
template <class T>
struct OnlineSoftmax {
  struct State {
    T top, sum;
  };
  static KG_DEVICE State identity() { return {lowest_value<T>(), T(0)}; }
  static KG_DEVICE State of(T x, u32) { return {x, T(1)}; }
  static KG_DEVICE State combine(State a, State b) {
    const bool is_higher = a.top >= b.top;
    const T high = is_higher ? a.sum : b.sum, low = is_higher ? b.sum : a.sum;
    // The difference of equal infinities would be NaN.
    const T below = a.top == b.top ? T(0) : -abs(a.top - b.top);
    return {maximum(a.top, b.top), fma(low, decay(below), high)};
  }
  template <class Span>
  static KG_DEVICE State of_span(const Span& span) {
    const T top = span.template reduce<Max<T>>([](T x) KG_INLINE { return x; });
    // For an infinite top, infinities must stay infinite; if top is NaN, the result is NaN anyway.
    const T finite = top - top == 0 ? top : T(0);
    return {top, span.template reduce<SumOfExp<T>>([=](T x) KG_INLINE { return x - finite; })};
  }
};
template <class T>
inline constexpr bool reduces_spans<OnlineSoftmax<T>> = true;

/// The sum of e^(x - top) of a row; NaN if an element is NaN or the maximum is infinite (inf - inf).
template <class V>
KG_DEVICE V sum_of_exp(const typename OnlineSoftmax<V>::State& state) {
  return state.top - state.top == 0 ? state.sum : state.top - state.top;
}

/// A sum that a row's elements are divided by. On a GPU, threads without a row, whose sum is 0, divide too: 1 in place of 0
/// avoids the slow path of a division.
template <class V>
KG_DEVICE V divisor(V sum) {
  if constexpr (is_gpu)
    return sum + (sum == V(0) ? V(1) : V(0));
  else
    return sum;
}

/// The mean and the sum of squared deviations from it, `squares` (Chan, Golub and LeVeque, "Updating formulae and a pairwise
/// algorithm for computing sample variances", 1979).
template <class T>
struct Moments {
  struct State {
    T mean, squares, count;
  };
  static KG_DEVICE State identity() { return {T(0), T(0), T(0)}; }
  static KG_DEVICE State combine(State a, State b) {
    // Terms that are symmetric in a and b. An empty State must not contribute a deviation: its square could
    // overflow.
    const T count = a.count + b.count, product = a.count * b.count;
    const T inverse = count == 0 ? T(0) : T(1) / count, apart = product == 0 ? T(0) : b.mean - a.mean;
    return {a.mean * (a.count * inverse) + b.mean * (b.count * inverse),
            a.squares + b.squares + apart * apart * (product * inverse), count};
  }
  template <class Span>
  static KG_DEVICE State of_span(const Span& span) {
    const T count = static_cast<T>(span.count), terms = count == 0 ? T(1) : count;
    const T mean = span.template reduce<Sum<T>>([](T x) KG_INLINE { return x; }) / terms;
    return {mean, span.template reduce<SumOfSquares<T>>([=](T x) KG_INLINE { return x - mean; }), count};
  }
};
template <class T>
inline constexpr bool reduces_spans<Moments<T>> = true;

}  // namespace kg
