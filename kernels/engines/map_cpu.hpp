#pragma once
/// The element-wise engine for CPUs: a block processes one contiguous span in loops that vectorize.
#include "device/convert.hpp"
#include "engines/in_order_cpu.hpp"
#include "engines/streaming_store_cpu.hpp"
#include "engines/view_rows_cpu.hpp"

// Each element is read before it is written and none is written twice, so the compiler's overlap checks are
// unnecessary. `lanes` must be a constant in scope. Two interleaved vectors hide half of a polynomial's
// latency, if there are enough registers for its coefficients.
#if defined(__AVX512F__)
#define KG_VECTORIZE _Pragma("clang loop vectorize(assume_safety) vectorize_width(lanes) interleave_count(2)")
#else
#define KG_VECTORIZE _Pragma("clang loop vectorize(assume_safety) vectorize_width(lanes)")
#endif

namespace kg {

/// Whether op(SmallAngle) is op(f32) of a small angle (device/trig_cpu.hpp).
template <class Op>
inline constexpr bool takes_small_angles = false;

namespace detail {

/// Calls f(i) for `first` ≤ i < `last` in vectors; the last one is masked if the target has masks.
template <int lanes, class F>
KG_DEVICE void for_each_masked(u64 first, u64 last, F f) {
#if defined(__AVX512F__)
#pragma clang loop vectorize(assume_safety) vectorize_width(lanes) interleave_count(1) \
    vectorize_predicate(enable)
#else
#pragma clang loop vectorize(assume_safety) vectorize_width(lanes) interleave_count(1)
#endif
  for (u64 i = first; i < last; ++i) f(i);
}

/// Calls f(i) for `first` ≤ i < `last`, `lanes` at a time. A partial vector is masked if the target has
/// masks: with few elements a scalar remainder would dominate, unless it is tiny.
template <int lanes, class F>
KG_DEVICE void for_each_lane(u64 first, u64 last, F f) {
#if defined(__AVX512F__)
  const u64 whole = last - (last - first) % (2 * lanes);
  KG_VECTORIZE for (u64 i = first; i < whole; ++i) f(i);
  if (last - whole <= lanes / 4) {
#pragma clang loop vectorize(disable)
    for (u64 i = whole; i < last; ++i) f(i);
    return;
  }
  for_each_masked<lanes>(whole, last, f);
#else
  KG_VECTORIZE for (u64 i = first; i < last; ++i) f(i);
#endif
}

/// Lanes of a vector of the widest compute type. The compiler would choose by the types in memory.
template <class... T>
constexpr int vector_lanes() {
  constexpr int sizes[] = {sizeof(widened<T>)...};
  int widest = 1;
  for (int size : sizes) widest = size > widest ? size : widest;
  return vector_bytes / widest;
}

/// Reads no table for chunks that have small angles only.
template <class Op, class Out, class In>
KG_DEVICE void map_angles(Op op, Out* y, u64 n, const In* x) {
  constexpr int lanes = vector_lanes<Out, In>();
  constexpr u64 most = 1024;
  for (u64 count; n > 0; n -= count, x += count, y += count) {
    count = n < most ? n : most;
    u32 are_small = 1;
    KG_VECTORIZE for (u64 i = 0; i < count; ++i) are_small &= SmallAngle::holds(widen(x[i]));
    if (are_small)
      KG_VECTORIZE for (u64 i = 0; i < count; ++i) y[i] = convert<Out>(op(SmallAngle{widen(x[i])}));
    else
      KG_VECTORIZE for (u64 i = 0; i < count; ++i) y[i] = convert<Out>(op(widen(x[i])));
  }
}

template <class Op, class Out, class... In>
KG_DEVICE void map_run(Op op, Out* y, u64 n, const In*... x) {
  if constexpr (takes_small_angles<Op> && same<widened<Out>, f32>) {
    map_angles(op, y, n, x...);
  } else {
    constexpr int lanes = vector_lanes<Out, In...>();
    KG_VECTORIZE for (u64 i = 0; i < n; ++i) y[i] = convert<Out>(op(widen(x[i])...));
  }
}

/// Maps a row whose inputs have stride 1 where Mask has a bit set and stride 0 (broadcast) elsewhere.
template <unsigned Mask, int... K, class Op, class Out, class... In>
KG_DEVICE void map_row(Indices<K...>, Op op, Out* y, u64 n, const In*... x) {
  constexpr int lanes = vector_lanes<Out, In...>();
  KG_VECTORIZE for (u64 i = 0; i < n; ++i) y[i] = convert<Out>(op(widen(x[Mask >> K & 1 ? i : 0])...));
}

template <unsigned Mask, class Op, class Out, class... In>
KG_DEVICE void map_row_by_mask(unsigned mask, Op op, Out* y, u64 n, const In*... x) {
  if (mask == Mask)
    map_row<Mask>(typename MakeIndices<sizeof...(In)>::type{}, op, y, n, x...);
  else if constexpr (Mask + 1 < 1u << sizeof...(In))
    map_row_by_mask<Mask + 1>(mask, op, y, n, x...);
}

/// Maps a row of a strided output. `stride` has those of the inputs, then the output's.
template <int... K, class Op, class Out, class... In>
KG_DEVICE void map_row_any(Indices<K...>, Op op, Out* y, i64 n, const i64* stride, const In*... x) {
  constexpr int inputs = sizeof...(In);
  constexpr int lanes = vector_lanes<Out, In...>();
  KG_VECTORIZE for (i64 i = 0; i < n; ++i) y[i * stride[inputs]] =
      convert<Out>(op(widen(x[i * stride[K]])...));
}

/// Shorter rows do not get a loop each: its prologue and remainder would dominate.
inline constexpr u32 worth_a_loop = 256;

/// Maps with all operands gathered in the order of the contiguous result, starting at element `first`.
/// `length` is that of a result row: short ones are gathered whole, because rows may repeat.
template <class Op, class Out, class... In>
KG_DEVICE void map_in_order(Op op, Out* y, u64 first, u64 n, u64 length, bool streamed, InOrder<In>... x) {
  constexpr u64 most = InOrder<Out>::most;
  const u64 step = length < most ? most / length * length : most;
  write(y, n, streamed, [&](Out* target, u64 begin, u64 count) KG_INLINE {
    u64 some = step - (first + begin) % step;
    for (u64 i = 0; i < count; i += some, some = step) {
      if (some > count - i) some = count - i;
      map_run(op, target + i, some, x.next(some)...);
    }
  });
}

template <class Op, class Out, int N, int... K, class... In>
KG_DEVICE void map_strided(Indices<K...> inputs, Op op, Out* y, const Strided<N>& layout, const In*... x) {
  constexpr bool scattered = N > sizeof...(In);
  const i64 stride[] = {layout.stride[K][0]..., scattered ? layout.stride[N - 1][0] : 1};
  const bool simple = ((stride[K] == 0 || stride[K] == 1) && ... && (stride[sizeof...(In)] == 1));
  const unsigned mask = (0u | ... | (static_cast<unsigned>(stride[K] & 1) << K));
  const Share part = share(layout.elements);
  const bool streamed = streams(y, layout.elements, x...);
  if constexpr (!scattered) {
    // Elements apart from each other are no vectors either: loads and stores by lane take longer than a gather.
    if (!simple || (layout.dim[0].extent < worth_a_loop && layout.rank > 1))
      return map_in_order(op, y + part.first, part.first, part.last - part.first, layout.dim[0].extent,
                          streamed, InOrder<In>(x, layout, K, part.first)...);
  }
  for_each_row(layout, part.first, part.last, [&](u64 index, u64 count, const Position<N>& at) KG_INLINE {
    Out* row = scattered ? y + at.offset[N - 1] : y + index;
    if constexpr (scattered)
      if (!simple)
        return map_row_any(inputs, op, row, static_cast<i64>(count), stride, (x + at.offset[K])...);
    write(row, count, streamed, [&](Out* target, u64 first, u64 length) KG_INLINE {
      map_row_by_mask<0>(mask, op, target, length, (x + at.offset[K] + first * stride[K])...);
    });
  });
}

}  // namespace detail

template <class Op, class Out, class... In>
KG_DEVICE void map(Op op, Out* y, u64 n, const In*... x) {
  const detail::Share part = detail::share(n);
  detail::write(y + part.first, part.last - part.first, detail::streams(y, n, x...),
                [&](Out* target, u64 first, u64 count)
                    KG_INLINE { detail::map_run(op, target, count, (x + part.first + first)...); });
}

template <class Op, class Out, int N, class... In>
KG_DEVICE void map(Op op, Out* y, const Strided<N>& layout, const In*... x) {
  detail::map_strided(typename MakeIndices<sizeof...(In)>::type{}, op, y, layout, x...);
}

}  // namespace kg
