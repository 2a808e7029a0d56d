#pragma once
/// The element-wise engine for GPUs: 16-byte packs, several loads in flight before the first use.
#include "device/convert.hpp"
#include "device/pack_loop.hpp"
#include "device/rough.hpp"
#include "engines/outer_parts.hpp"
#include "engines/positions.hpp"
#include "plan/map.hpp"

namespace kg {
namespace detail {

/// Op, computed roughly.
template <class Op>
struct Roughly : Op {
  template <class... X>
  KG_DEVICE f32 operator()(X... x) const {
    return Op::operator()(Rough(x)...);
  }
};

template <class Op, class = void>
inline constexpr bool can_be_rough = false;
template <class Op>
inline constexpr bool can_be_rough<Op, decltype(static_cast<void>(Op::is_rough))> = true;

/// `op` for these types: Roughly<Op> if it can be and they are narrow floats.
template <class Out, class... In, class Op>
KG_DEVICE auto for_types(Op op) {
  if constexpr (can_be_rough<Op> && is_narrow_float<Out> && (is_narrow_float<In> && ...))
    return Roughly<Op>{op};
  else
    return op;
}

/// One pack of each input. K is the index of the current input.
template <int W, int K, class... In>
struct Packs {
  template <bool are_aligned>
  KG_DEVICE void load(u64) {}
  template <int N>
  KG_DEVICE void load_row(const Strided<N>&, const Position<N>&) {}
  template <int N>
  KG_DEVICE void load_element(int, const i64 (&)[N]) {}
  template <class Op, class... V>
  KG_DEVICE auto apply(Op op, int, V... values) const {
    return op(values...);
  }
};

template <int W, int K, class First, class... Rest>
struct Packs<W, K, First, Rest...> {
  Pack<First, W> first{};
  Packs<W, K + 1, Rest...> rest;

  template <bool are_aligned>
  KG_DEVICE void load(u64 pack, const First* x, const Rest*... others) {
    if constexpr (are_aligned)
      first = load_pack<W>(x + pack * W);
    else
      first = load_pack_overreading<W>(x + pack * W);
    rest.template load<are_aligned>(pack, others...);
  }

  /// Loads W elements of one row, starting at `at`: contiguous, or one for all.
  template <int N>
  KG_DEVICE void load_row(const Strided<N>& layout, const Position<N>& at, const First* x,
                          const Rest*... others) {
    const i64 stride = layout.stride[K][0];
    const First* p = x + at.offset[K];
    if (stride == 1) {
      first = load_pack_overreading<W>(p);
    } else {
      const First value = *p;
      KG_UNROLL for (int e = 0; e < W; ++e) first.set(e, value);
    }
    rest.load_row(layout, at, others...);
  }

  template <int N>
  KG_DEVICE void load_element(int e, const i64 (&offset)[N], const First* x, const Rest*... others) {
    first.set(e, x[offset[K]]);
    rest.load_element(e, offset, others...);
  }

  template <class Op, class... V>
  KG_DEVICE auto apply(Op op, int e, V... values) const {
    return rest.apply(op, e, values..., widen(first.get(e)));
  }
};

template <int count, int W, int K>
KG_DEVICE void rotate(Packs<W, K>&) {}
template <int count, int W, int K, class First, class... Rest>
KG_DEVICE void rotate(Packs<W, K, First, Rest...>& packs) {
  kg::rotate<count>(packs.first);
  rotate<count>(packs.rest);
}

template <int W, class Out, class Op, class... In>
KG_DEVICE Pack<Out, W> compute(Op op, const Packs<W, 0, In...>& inputs) {
  constexpr int turn = loop_width<W, Out, In...>();
  if constexpr (turn < W) {
    return pack_by_loop<Out, W, turn>(
        [=](int e, const auto& in) KG_INLINE { return convert<Out>(in.apply(op, e)); }, inputs);
  } else {
    Pack<Out, W> y{};
    KG_UNROLL for (int e = 0; e < W; ++e) y.set(e, convert<Out>(inputs.apply(op, e)));
    return y;
  }
}

KG_DEVICE u64 global_thread() { return static_cast<u64>(block_index()) * block_size() + thread_index(); }

/// Maps that many packs of contiguous operands; `y` is aligned for them.
template <int W, bool are_aligned, class Op, class Out, class... In>
KG_DEVICE void map_whole_packs(Op op, Out* y, u64 packs, const In*... x) {
  constexpr int in_flight = packs_in_flight(W, sizeof(Out), sizeof...(In));
  const u64 step = block_size();
  for (u64 base = static_cast<u64>(block_index()) * step * in_flight + thread_index(); base < packs;
       base += grid_threads() * in_flight) {
    Packs<W, 0, In...> inputs[in_flight];
    KG_UNROLL for (int k = 0; k < in_flight; ++k) {
      if (base + k * step < packs) inputs[k].template load<are_aligned>(base + k * step, x...);
    }
    KG_UNROLL for (int k = 0; k < in_flight; ++k) {
      const u64 pack = base + k * step;
      if (pack < packs) store_pack(y + pack * W, compute<W, Out>(op, inputs[k]));
    }
  }
}

}  // namespace detail

template <class Op, class Out, class... In>
KG_DEVICE void map(Op op, Out* y, u64 n, const In*... x) {
  constexpr int W = pack_width<Out, In...>();
  const auto function = detail::for_types<Out, In...>(op);
  const u64 before = elements_to_alignment<W>(y);  // packs are stored from there on
  // With at least one thread per element, packs would only add code to fetch.
  const u64 packs = n > grid_threads() && n > before ? (n - before) / W : 0;
  if constexpr (has_unaligned_loads)
    detail::map_whole_packs<W, false>(function, y + before, packs, (x + before)...);
  else if ((is_aligned<W>(x + before) && ...))
    detail::map_whole_packs<W, true>(function, y + before, packs, (x + before)...);
  else
    detail::map_whole_packs<W, false>(function, y + before, packs, (x + before)...);
  // The elements before and after the packs; all if there are few.
  for (u64 k = detail::global_thread(); k < n - packs * W; k += grid_threads()) {
    const u64 i = k < before ? k : k + packs * W;
    y[i] = convert<Out>(function(widen(x[i])...));
  }
}

namespace detail {

/// Whether the operand's rows are contiguous, or broadcast elements.
template <int N>
KG_DEVICE bool has_rows(const Strided<N>& layout, int k) {
  return layout.stride[k][0] == 0 || layout.stride[k][0] == 1;
}

/// Maps the whole packs inside rows, of operands that all have rows.
template <int W, class Op, class Out, int N, class... In>
KG_DEVICE void map_packs(Op op, Out* y, const Strided<N>& layout, const In*... x) {
  constexpr bool scattered = N > static_cast<int>(sizeof...(In));
  for (u64 first = global_thread() * W; first + (W - 1) < layout.elements; first += grid_threads() * W) {
    const u32 index = static_cast<u32>(first);
    const auto at = locate(layout, index);
    if (layout.dim[0].extent - at.column < W) continue;
    Packs<W, 0, In...> inputs;
    inputs.load_row(layout, at, x...);
    const auto result = compute<W, Out>(op, inputs);
    Out* target = scattered ? y + at.offset[N - 1] : y + index;
    if (is_aligned<W>(target)) {
      store_pack(target, result);
    } else {
      KG_UNROLL for (int e = 0; e < W; ++e) target[e] = result.get(e);
    }
  }
}

/// Maps operands of any layout. A thread takes an element of each part at a time, whose loads are in flight together.
template <class Op, class Out, int N, int... K, class... In>
KG_DEVICE void map_elements(Indices<K...>, Op op, Out* y, const Strided<N>& layout, const In*... x) {
  constexpr bool scattered = N > static_cast<int>(sizeof...(In));
  constexpr u32 together = strided_in_flight((is_compact<Out> || ... || is_compact<In>));
  OuterPart<N> parts[together];
  divide_outer(layout, parts);
  KG_NO_UNROLL for (u64 i = global_thread(); i < parts[0].elements; i += grid_threads()) {
    const u32 index = static_cast<u32>(i);
    Position<N> at[1]{};
    locate<i32>(layout, {index}, at);
    Packs<together, 0, In...> inputs;
    KG_UNROLL for (u32 k = 0; k < together; ++k) if (index < parts[k].elements)
        inputs.load_element(k, parts[k].offset, (x + at->offset[K])...);
    const auto result = compute<together, Out>(op, inputs);
    Out* target = y + (scattered ? at->offset[N - 1] : static_cast<i64>(index));
    KG_UNROLL for (u32 k = 0; k < together; ++k) if (index < parts[k].elements)
        target[scattered ? parts[k].offset[N - 1] : static_cast<i64>(parts[k].first)] = result.get(k);
  }
}

template <class Op, class Out, int N, int... K, class... In>
KG_DEVICE void map_strided(Indices<K...> inputs, Op op, Out* y, const Strided<N>& layout, const In*... x) {
  constexpr int W = pack_width<Out, In...>() > 8 ? 8 : pack_width<Out, In...>();
  constexpr bool scattered = N > static_cast<int>(sizeof...(In));
  constexpr u32 long_row = 16;  // packs, few of which a row ends in
  const u32 n = layout.elements, columns = layout.dim[0].extent;
  const auto map_one = [&](u32 index) KG_INLINE {
    Position<N> at[1]{};
    locate<i32>(layout, {index}, at);
    y[scattered ? at->offset[N - 1] : index] = convert<Out>(op(widen(x[at->offset[K]])...));
  };
  u64 first = 0;
  if (n > grid_threads()) {
    bool in_packs = (has_rows(layout, K) && ...) && is_aligned<W>(y) &&
                    (columns % W == 0 || (!scattered && columns >= long_row * W));
    if (scattered) in_packs = in_packs && layout.stride[N - 1][0] == 1 && layout.stride[N - 1][1] % W == 0;
    if (in_packs) {
      map_packs<W>(op, y, layout, x...);
      first = n - n % W;
      // Packs that a row ends in.
      const u32 ends = columns % W == 0 ? 0 : divide(n, layout.dim[0]) - 1;
      KG_NO_UNROLL for (u64 i = global_thread(); i < ends * W; i += grid_threads()) {
        const u32 end = (static_cast<u32>(i) / W + 1) * columns;
        if (end % W != 0) map_one(end - end % W + static_cast<u32>(i) % W);
      }
    } else {
      return map_elements(inputs, op, y, layout, x...);
    }
  }
  for (u64 i = first + global_thread(); i < n; i += grid_threads()) map_one(static_cast<u32>(i));
}

}  // namespace detail

template <class Op, class Out, int N, class... In>
KG_DEVICE void map(Op op, Out* y, const Strided<N>& layout, const In*... x) {
  detail::map_strided(typename MakeIndices<sizeof...(In)>::type{}, detail::for_types<Out, In...>(op), y,
                      layout, x...);
}

}  // namespace kg
