#pragma once
#include "device/group.hpp"
#include "engines/copy_small_cpu.hpp"
#include "engines/map_cpu.hpp"
#include "engines/panel_cpu.hpp"
#include "engines/position.hpp"
#include "engines/simd_cpu.hpp"
#include "plan/reduce.hpp"

namespace kg {

/// A CPU thread's partial results as an array: loops over it vectorize, whereas a single floating-point sum
/// must not be reordered.
template <class R>
struct Lanes {
  using State = typename R::State;
  static constexpr u32 count = cpu_lanes;

  alignas(64) State state[count];
  u32 used = 0;  ///< lanes that hold a value

  /// Adds elements i = 0 … n - 1, given by of(i). n must be at most `count`.
  template <class Of>
  KG_DEVICE void add(u32 n, Of of) {
    const u32 both = n < used ? n : used;
    detail::for_each_lane<lanes>(
        0, both, [&](u64 i) KG_INLINE { state[i] = R::combine(state[i], of(static_cast<u32>(i))); });
    detail::for_each_lane<lanes>(both, n, [&](u64 i) KG_INLINE { state[i] = of(static_cast<u32>(i)); });
    if (n > used) used = n;
  }

  KG_DEVICE State total() {
    if (used == 0) return R::identity();
    u32 half = 1u << (31 - __builtin_clz(used));
    fold(used - half, half);
    while (half > lanes) {
      half /= 2;
      fold(half, half);
    }
    KG_UNROLL for (u32 i = lanes / 2; i > 0; i /= 2) {
      KG_UNROLL for (u32 k = 0; k < i; ++k) {
        if (i < half) state[k] = R::combine(state[k], state[k + i]);
      }
    }
    return state[0];
  }

  /// Combines each of the first `n` states with the one `apart` after it.
  KG_DEVICE void fold(u32 n, u32 apart) {
    _Pragma("clang loop vectorize(assume_safety) vectorize_width(lanes) interleave_count(1)") for (u32 i = 0;
                                                                                                   i < n; ++i)
        state[i] = R::combine(state[i], state[i + apart]);
  }

 private:
  static constexpr int lanes = vector_bytes / sizeof(State);
};

/// Number of lanes used for a row of n elements. For short rows, combining all lanes would take as long as
/// the row.
template <class R>
KG_DEVICE u32 lanes_of_row(u64 n) {
  constexpr u32 count = Lanes<R>::count;
  return n <= 4 * count ? count / 8 : count;
}

namespace detail {

/// The first `count` elements as a vector, widened; the rest is the identity of R.
template <class R, class T>
KG_DEVICE typename Blocking<typename R::State>::Vector load_some(const T* x, u32 count) {
  using State = typename R::State;
  using Vector = typename Blocking<State>::Vector;
  constexpr u32 lanes = Blocking<State>::lanes;
  const Vector some = load_vector<T, State>(SomeElements<lanes, T>(x, count).data());
  Vector number;
  KG_UNROLL for (u32 l = 0; l < lanes; ++l) number[l] = State(l);
  return number < Vector(State(count)) ? some : Vector(R::identity());
}

}  // namespace detail

/// Reduces x[0, n) for a floating-point sum or product, in four vectors. Each lane accumulates up to 64 terms
/// before they join the total.
template <class R, class T>
KG_DEVICE typename R::State accumulate_vectors(const T* x, u32 n) {
  using State = typename R::State;
  using Vector = typename detail::Blocking<State>::Vector;
  constexpr u32 lanes = detail::Blocking<State>::lanes, vectors = 4, width = vectors * lanes,
                part = 64 * width;
  const auto load = [=](u32 i) KG_INLINE { return detail::load_vector<T, State>(x + i); };
  Vector total[vectors];
  KG_UNROLL for (u32 v = 0; v < vectors; ++v) total[v] = Vector(R::identity());
  u32 i = 0;
  while (n - i >= width) {
    const u32 end = n - i < part ? n : i + part;
    Vector sum[vectors];
    KG_UNROLL for (u32 v = 0; v < vectors; ++v) sum[v] = load(i + v * lanes);
    for (i += width; end - i >= width; i += width) {
      KG_UNROLL for (u32 v = 0; v < vectors; ++v) sum[v] = R::combine(sum[v], load(i + v * lanes));
    }
    KG_UNROLL for (u32 v = 0; v < vectors; ++v) total[v] = R::combine(total[v], sum[v]);
  }
  for (; n - i >= lanes; i += lanes) total[0] = R::combine(total[0], load(i));
  if (i < n) total[1] = R::combine(total[1], detail::load_some<R>(x + i, n - i));
  const Vector all = R::combine(R::combine(total[0], total[1]), R::combine(total[2], total[3]));
  State line[lanes];
  for (u32 l = 0; l < lanes; ++l) line[l] = all[l];
  KG_UNROLL for (u32 half = lanes / 2; half > 0; half /= 2) {
    KG_UNROLL for (u32 l = 0; l < half; ++l) line[l] = R::combine(line[l], line[l + half]);
  }
  return line[0];
}

/// Reduces short contiguous rows, as many at a time as a vector has lanes: each vector accumulates one row,
/// and the vectors are transposed. Calls put(first, n, of) for n rows, where of(k) is the State of the k-th.
/// Returns false and does nothing for other views and reductions.
template <class R, class T, class Put>
KG_DEVICE bool accumulate_short_rows(const T* x, const Strided<1>& kept, const Strided<1>& reduced, Put put) {
  using State = typename R::State;
  if constexpr (!is_integer<T> && (R::kind == StateKind::sum || R::kind == StateKind::extreme)) {
    using Value = detail::Simd<State>;
    constexpr u32 lanes = Value::lanes, longest = 64 * lanes;
    const u32 n = reduced.elements;
    if (kept.rank > 1 || reduced.rank != 1 || reduced.stride[0][0] != 1 || n > longest) return false;
    const i64 pitch = kept.rank == 1 ? kept.stride[0][0] : 0;
    const detail::Share part = detail::share(kept.elements);
    for (u64 first = part.first; first < part.last; first += lanes) {
      const u32 rows = part.last - first < lanes ? static_cast<u32>(part.last - first) : lanes;
      typename Value::Vector total[lanes] = {};
      KG_NO_UNROLL for (u32 r = 0; r < rows; ++r) {
        const T* row = x + static_cast<i64>(first + r) * pitch;
        Value all(R::identity());
        u32 i = 0;
        KG_NO_UNROLL for (; n - i >= lanes; i += lanes) all =
            R::combine(all, Value(detail::load_vector<T, State>(row + i)));
        if (i < n) all = R::combine(all, Value(detail::load_some<R>(row + i, n - i)));
        total[r] = all.value;
      }
      detail::transpose(total);
      KG_UNROLL for (u32 half = lanes / 2; half > 0; half /= 2) {
        KG_UNROLL for (u32 k = 0; k < half; ++k) total[k] =
            R::combine(Value(total[k]), Value(total[k + half])).value;
      }
      put(first, rows, [&](u32 k) KG_INLINE { return total[0][k]; });
    }
    return true;
  }
  return false;
}

/// Reduces x[0, n), `index` being the index of the first element, in lanes.
template <class R, class T>
KG_DEVICE typename R::State accumulate_lanes(const T* x, u32 n, u32 index) {
  Lanes<R> lanes;
  const u32 width = lanes_of_row<R>(n);
  for (u32 i = 0; i < n; i += width) {
    const u32 count = n - i < width ? n - i : width;
    lanes.add(count, [&](u32 k) KG_INLINE { return R::of(x[i + k], index + i + k); });
  }
  return lanes.total();
}

/// Reduces x[0, n). `index` is the index of the first element.
template <class R, class T>
KG_DEVICE typename R::State accumulate(const Group&, const T* x, u32 n, u32 index) {
  if constexpr (R::kind == StateKind::sum && R::rounds) {
    return accumulate_vectors<R>(x, n);
  } else if constexpr (R::rounds) {
    // Each part is combined separately: a lane that adds very many terms would lose digits.
    constexpr u32 part = 64 * Lanes<R>::count;
    typename R::State total = R::identity();
    for (u32 i = 0; i < n; i += part)
      total = R::combine(total, accumulate_lanes<R>(x + i, n - i < part ? n - i : part, index + i));
    return total;
  } else {
    return accumulate_lanes<R>(x, n, index);
  }
}

/// Reduces elements [first, last) of a view.
template <class R, class T>
KG_DEVICE typename R::State accumulate(const Group& group, const T* x, const Strided<1>& layout, u32 first,
                                       u32 last, u32 index) {
  const i64 stride = layout.stride[0][0];
  if (layout.rank == 1 && stride == 1) return accumulate<R>(group, x + first, last - first, index + first);
  Lanes<R> lanes;
  T buffer[lanes.count];
  u32 held = 0, begin = first;
  const auto empty = [&]() KG_INLINE {
    lanes.add(held, [&](u32 k) KG_INLINE { return R::of(buffer[k], index + begin + k); });
    begin += held;
    held = 0;
  };
  detail::for_each_row(layout, first, last, [&](u64, u64 row, const Position<1>& at) KG_INLINE {
    for (u64 i = 0; i < row;) {
      const u64 room = lanes.count - held, count = row - i < room ? row - i : room;
      const T* from = x + at.offset[0] + static_cast<i64>(i) * stride;
      if (stride == 1 && count * sizeof(T) >= 32)
        detail::copy_few(from, buffer + held, count);
      else
        for (u64 k = 0; k < count; ++k) buffer[held + k] = from[static_cast<i64>(k) * stride];
      held += static_cast<u32>(count);
      i += count;
      if (held == lanes.count) empty();
    }
  });
  empty();
  return lanes.total();
}

template <class R, class T>
KG_DEVICE u32 column_tile(u32) {
  return Lanes<R>::count;
}

/// Reduces each of `columns` columns, `step` apart from x on, over the rows [first, last) of `rows`. Calls
/// put(first, n, of) for n columns, where of(k) is the State of the k-th.
template <class R, class T, class Put>
KG_DEVICE void accumulate_columns(const T* x, u32 columns, i64 step, const Strided<1>& rows, u32 first,
                                  u32 last, u32 index, u32, Put put) {
  // Sums eight rows, then eight such sums, and so on: the error is hardly larger than that of a short sum.
  constexpr u32 levels = R::rounds ? 4 : 1;
  Lanes<R> level[levels];
  const auto fold = [&](u32 from) KG_INLINE {
    level[from + 1].add(level[from].used, [&](u32 k) KG_INLINE { return level[from].state[k]; });
    level[from].used = 0;
  };
  // Adjacent short rows are combined into one longer row, unless element indices matter.
  u32 beside = 1;
  if (R::kind != StateKind::index && step == 1 && rows.rank == 1 && rows.stride[0][0] == columns)
    while (2 * beside * columns <= Lanes<R>::count && 2 * beside <= last - first) beside *= 2;
  u32 added = 0;
  detail::for_each_row(rows, first, last, [&](u64 row, u64 count, const Position<1>& at) KG_INLINE {
    for (u64 i = 0; i < count;) {
      const T* from = x + at.offset[0] + static_cast<i64>(i) * rows.stride[0][0];
      const u32 number = index + static_cast<u32>(row + i), taken = beside <= count - i ? beside : 1;
      if (step == 1)
        level[0].add(taken * columns, [&](u32 k) KG_INLINE { return R::of(from[k], number); });
      else
        level[0].add(columns, [&](u32 k) KG_INLINE { return R::of(from[k * step], number); });
      i += taken;
      ++added;
      for (u32 l = 0, full = 8; l + 1 < levels && added % full == 0; ++l, full *= 8) fold(l);
    }
  });
  for (u32 l = 0; l + 1 < levels; ++l) fold(l);
  for (; beside > 1; beside /= 2) level[levels - 1].fold(beside / 2 * columns, beside / 2 * columns);
  const Lanes<R>& total = level[levels - 1];
  if (total.used == 0)
    put(0, columns, [](u32) KG_INLINE { return R::identity(); });
  else
    put(0, columns, [&](u32 k) KG_INLINE { return total.state[k]; });
}

}  // namespace kg
