#pragma once
#include "elementwise/inner_strides.hpp"
#include "engines/streaming_store_cpu.hpp"
#include "engines/view_rows_cpu.hpp"

namespace kg {
namespace detail {

template <int N, i64... Step>
KG_DEVICE bool has_steps(const Strided<N>& layout, InnerStrides<Step...>) {
  static_assert(sizeof...(Step) == N, "a step an operand");
  const i64 wanted[] = {Step...};
  bool same = true;
  for (int k = 0; k < N; ++k) same = same && layout.stride[k][0] == wanted[k];
  return same;
}

template <int N, class F>
KG_DEVICE void walk_row(const i64 (&step)[N], const Position<N>& first, u64 count, F f) {
#pragma clang loop vectorize(assume_safety)
  for (u64 i = 0; i < count; ++i) {
    Position<N> at{};
    for (int k = 0; k < N; ++k) at.offset[k] = first.offset[k] + static_cast<i64>(i) * step[k];
    f(at);
  }
}

template <int N, class F>
KG_DEVICE void walk_row_by_steps(const Strided<N>& layout, const Position<N>& first, u64 count, F f) {
  i64 step[N];
  for (int k = 0; k < N; ++k) step[k] = layout.stride[k][0];
  walk_row(step, first, count, f);
}
template <int N, class F, i64... Step, class... Others>
KG_DEVICE void walk_row_by_steps(const Strided<N>& layout, const Position<N>& first, u64 count, F f,
                                 InnerStrides<Step...> steps, Others... others) {
  if (!has_steps(layout, steps)) return walk_row_by_steps(layout, first, count, f, others...);
  constexpr i64 constant[] = {Step...};
  walk_row(constant, first, count, f);
}

/// f(position) for this thread's share of one layout.
template <int N, class F, class... S>
KG_DEVICE void for_each_position_of(const Strided<N>& layout, F f, S... steps) {
  const Share part = share(layout.elements);
  for_each_row(layout, part.first, part.last, [&](u64, u64 count, const Position<N>& first) KG_INLINE {
    walk_row_by_steps(layout, first, count, f, steps...);
  });
}

}  // namespace detail

template <int N, class F, class G, class... S>
KG_DEVICE void for_each_position(const Strided<N>& first, F f, const Strided<N>& second, G g, S... steps) {
  detail::for_each_position_of(first, f, steps...);
  detail::for_each_position_of(second, g, steps...);
}

}  // namespace kg
