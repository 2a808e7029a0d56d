#pragma once
/// The element-wise engine for GPUs: 16-byte packs, several loads in flight before the first use.
#include "device/convert.hpp"
#include "device/turns.hpp"
#include "engines/position.hpp"

namespace kg {
namespace detail {

/// One pack of each input. K counts the inputs already peeled off.
template <int W, int K, class... In>
struct Packs {
  KG_DEVICE void load(u64) {}
  template <int N>
  KG_DEVICE void load_row(const Strided<N>&, const Position<N>&) {}
  template <int N>
  KG_DEVICE void load_element(int, const Position<N>&) {}
  template <class Op, class... V>
  KG_DEVICE auto apply(Op op, int, V... values) const {
    return op(values...);
  }
};

template <int W, int K, class First, class... Rest>
struct Packs<W, K, First, Rest...> {
  Pack<First, W> first{};
  Packs<W, K + 1, Rest...> rest;

  KG_DEVICE void load(u64 pack, const First* x, const Rest*... others) {
    first = load_pack<W>(x + pack * W);
    rest.load(pack, others...);
  }

  /// W elements of one row, starting at `at`.
  template <int N>
  KG_DEVICE void load_row(const Strided<N>& layout, const Position<N>& at, const First* x,
                          const Rest*... others) {
    const i64 stride = layout.stride[K][0];
    const First* p = x + at.offset[K];
    if (stride == 1 && is_aligned<W>(p)) {
      first = load_pack<W>(p);
    } else if (stride == 0) {
      const First value = *p;
      KG_UNROLL for (int e = 0; e < W; ++e) first.set(e, value);
    } else {
      KG_UNROLL for (int e = 0; e < W; ++e) first.set(e, p[e * stride]);
    }
    rest.load_row(layout, at, others...);
  }

  template <int N>
  KG_DEVICE void load_element(int e, const Position<N>& at, const First* x, const Rest*... others) {
    first.set(e, x[at.offset[K]]);
    rest.load_element(e, at, others...);
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
  constexpr int turn = turn_width<W, Out, In...>();
  if constexpr (turn < W) {
    return pack_in_turns<Out, W, turn>(
        [=](int e, const auto& in) KG_INLINE { return convert<Out>(in.apply(op, e)); }, inputs);
  } else {
    Pack<Out, W> y{};
    KG_UNROLL for (int e = 0; e < W; ++e) y.set(e, convert<Out>(inputs.apply(op, e)));
    return y;
  }
}

KG_DEVICE u64 global_thread() { return static_cast<u64>(block_index()) * block_size() + thread_index(); }
KG_DEVICE u64 global_threads() { return static_cast<u64>(grid_size()) * block_size(); }

}  // namespace detail

template <class Op, class Out, class... In>
KG_DEVICE void map(Op op, Out* y, u64 n, const In*... x) {
  constexpr int W = pack_width<Out, In...>();
  // Enough bytes under way to cover memory's latency; f64 math is long enough to do so by itself.
  constexpr int in_flight = W > 4 || W * sizeof(Out) > 16 || sizeof(Out) == 8 ? 1 : 2;
  const bool aligned = (is_aligned<W>(y) && ... && is_aligned<W>(x));
  // Where there is a thread an element packs would only be more code to wait for.
  const u64 packs = aligned && n > detail::global_threads() ? n / W : 0;
  const u64 step = block_size();
  for (u64 base = static_cast<u64>(block_index()) * step * in_flight + thread_index(); base < packs;
       base += detail::global_threads() * in_flight) {
    detail::Packs<W, 0, In...> inputs[in_flight];
    KG_UNROLL for (int k = 0; k < in_flight; ++k) {
      if (base + k * step < packs) inputs[k].load(base + k * step, x...);
    }
    KG_UNROLL for (int k = 0; k < in_flight; ++k) {
      const u64 pack = base + k * step;
      if (pack < packs) store_pack(y + pack * W, detail::compute<W, Out>(op, inputs[k]));
    }
  }
  // What no pack covers: the last elements, or all of them when they are few or an operand is not aligned.
  for (u64 i = packs * W + detail::global_thread(); i < n; i += detail::global_threads())
    y[i] = convert<Out>(op(widen(x[i])...));
}

namespace detail {

/// Of rows so short that packs would cross their ends: a thread takes single elements, neighbours side by side, several
/// under way.
template <class Op, class Out, int N, class... In>
KG_DEVICE void map_elements(Op op, Out* y, const Strided<N>& layout, const In*... x) {
  constexpr bool scattered = N > static_cast<int>(sizeof...(In));
  constexpr int together = (is_kept_small<Out> || ... || is_kept_small<In>) ? 2 : 4;
  const u64 n = layout.elements, step = global_threads();
  for (u64 first = global_thread(); first < n; first += together * step) {
    Packs<together, 0, In...> inputs;
    i64 target[together];
    KG_UNROLL for (int e = 0; e < together; ++e) {
      const u64 index = first + e * step;
      // The first again, where there is none left.
      const auto at = locate(layout, static_cast<u32>(index < n ? index : first));
      inputs.load_element(e, at, x...);
      target[e] = scattered ? at.offset[N - 1] : static_cast<i64>(index);
      separate_fours(e);
    }
    const auto result = compute<together, Out>(op, inputs);
    KG_UNROLL for (int e = 0; e < together; ++e) if (first + e * step < n) y[target[e]] = result.get(e);
  }
}

template <class Op, class Out, int N, int... K, class... In>
KG_DEVICE void map_strided(Indices<K...>, Op op, Out* y, const Strided<N>& layout, const In*... x) {
  constexpr int W = pack_width<Out, In...>() > 8 ? 8 : pack_width<Out, In...>();
  constexpr bool scattered = N > static_cast<int>(sizeof...(In));
  const u32 n = layout.elements;
  const auto map_element = [&](u32 i) KG_INLINE {
    const auto at = locate(layout, i);
    Out* target = scattered ? y + at.offset[N - 1] : y + i;
    *target = convert<Out>(op(widen(x[at.offset[K]])...));
  };
  if (n <= global_threads()) {
    if (global_thread() < n) map_element(static_cast<u32>(global_thread()));
    return;
  }
  if (layout.dim[0].extent < 4 * W) return map_elements(op, y, layout, x...);
  for (u64 first = global_thread() * W; first < n; first += global_threads() * W) {
    const u32 index = static_cast<u32>(first);
    const auto at = locate(layout, index);
    if (at.column + W <= layout.dim[0].extent) {
      Packs<W, 0, In...> inputs;
      inputs.load_row(layout, at, x...);
      const auto result = compute<W, Out>(op, inputs);
      const i64 stride = scattered ? layout.stride[N - 1][0] : 1;
      Out* target = scattered ? y + at.offset[N - 1] : y + index;
      if (stride == 1 && is_aligned<W>(target)) {
        store_pack(target, result);
      } else {
        KG_UNROLL for (int e = 0; e < W; ++e) target[e * stride] = result.get(e);
      }
    } else {
      // The pack crosses the end of a row.
      KG_NO_UNROLL for (u32 i = index; i < index + W && i < n; ++i) map_element(i);
    }
  }
}

}  // namespace detail

template <class Op, class Out, int N, class... In>
KG_DEVICE void map(Op op, Out* y, const Strided<N>& layout, const In*... x) {
  detail::map_strided(typename MakeIndices<sizeof...(In)>::type{}, op, y, layout, x...);
}

}  // namespace kg
