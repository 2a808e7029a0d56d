#pragma once
#include "device/group.hpp"
#include "device/pack.hpp"
#include "engines/position.hpp"
#include "plan/reduce.hpp"

namespace kg {
namespace detail {

/// Combines states pairwise in a tree.
template <class R, int Count, class State>
KG_DEVICE State combine_tree(State* state) {
  KG_UNROLL for (int half = Count / 2; half > 0; half /= 2) {
    KG_UNROLL for (int i = 0; i < Count / 2; ++i) {
      if (i < half) state[i] = R::combine(state[i], state[i + half]);
    }
  }
  return state[0];
}

/// Elements per load: 16 bytes, unless their States would need too many registers.
template <class R, class T>
KG_DEVICE constexpr int row_pack() {
  return sizeof(typename R::State) * (16 / sizeof(T)) > 32 ? 8 / sizeof(T) : 16 / sizeof(T);
}

}  // namespace detail

/// Reduces x[0, n), whose first element has index `index`. Returns this thread's share; combine it over the
/// group.
template <class R, class T>
KG_DEVICE typename R::State accumulate(const Group& group, const T* x, u32 n, u32 index) {
  using State = typename R::State;
  constexpr int W = detail::row_pack<R, T>(),
                in_flight = W * sizeof(State) > 32 ? loads_in_flight / 2 : loads_in_flight;
  State total = R::identity();
  u32 head = elements_to_alignment<W>(x);
  if (head > n) head = n;
  const u32 packs = (n - head) / W, edges = n - packs * W;
  const auto edge_at = [&](u32 i) KG_INLINE { return i < head ? i : i + packs * W; };
  // Loaded together with the packs: short rows would take three times as long if they waited for each edge
  // separately.
  T edge{};
  if (group.rank < edges) edge = x[edge_at(group.rank)];
  sched_barrier();
  // Loads are issued even if a thread has fewer packs: a few sequential loads would take as long as many
  // parallel ones.
  for (u32 p = group.rank; p < packs; p += in_flight * group.size) {
    Pack<T, W> pack[in_flight];
    KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
      const u32 at = p + k * group.size;
      pack[k] = load_pack<W>(x + head + static_cast<u64>(at < packs ? at : p) * W);
    }
    KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
      const u32 at = p + k * group.size;
      State state[W];
      KG_UNROLL for (int e = 0; e < W; ++e) {
        state[e] = R::of(pack[k].get(e), index + head + at * W + e);
        // The masks of four elements with an index each do not fit the scalar registers.
        if (R::kind == StateKind::index)
          sched_barrier();
        else
          sched_barrier_every_4(e);
      }
      if (at < packs) total = R::combine(total, detail::combine_tree<R, W>(state));
      sched_barrier();
    }
  }
  sched_barrier();
  const u32 rank = optimization_barrier(group.rank);
  if (rank < edges) total = R::combine(total, R::of(edge, index + edge_at(rank)));
  for (u32 i = rank + group.size; i < edges; i += group.size)
    total = R::combine(total, R::of(x[edge_at(i)], index + edge_at(i)));
  return total;
}

/// The offset of element `index` of a view, with a fast path for one dimension.
KG_DEVICE i64 offset_of(const Strided<1>& layout, u32 index) {
  return layout.rank == 1 ? index * layout.stride[0][0] : locate(layout, index).offset[0];
}

namespace detail {

/// Offsets of every `step`th element of a view of up to two dims, starting at element `first`, without a
/// division per element.
class SteadySteps {
 public:
  KG_DEVICE SteadySteps(const Strided<1>& layout, u32 first, u32 step)
      : extent_(layout.dim[0].extent), column_(first), column_step_(step) {
    const i64 along = layout.stride[0][0];
    next_ = column_ * along;
    step_ = column_step_ * along;
    if (layout.rank == 1) return;
    const u32 rows = divide(first, layout.dim[0]), row_step = divide(step, layout.dim[0]);
    wrap_ = layout.stride[0][1] - extent_ * along;
    column_ -= rows * extent_;
    column_step_ -= row_step * extent_;
    next_ += rows * wrap_;
    step_ += row_step * wrap_;
  }
  KG_DEVICE i64 next() {
    const i64 here = next_;
    column_ += column_step_;
    next_ += step_;
    if (column_ >= extent_) {
      column_ -= extent_;
      next_ += wrap_;
    }
    return here;
  }

 private:
  u32 extent_, column_, column_step_;
  i64 next_, step_, wrap_ = 0;  ///< row stride minus the offset of the elements passed in a row
};

/// Reduces elements i, i + step, … before `last`, whose offsets successive calls of next() return.
template <class R, u32 InFlight, class T, class Next>
KG_DEVICE typename R::State accumulate_apart(const T* x, u64 i, u32 last, u32 step, u32 index, Next next) {
  using State = typename R::State;
  State total = R::identity();
  for (; i < last; i += u64{InFlight} * step) {
    T value[InFlight];
    const i64 first = next();
    value[0] = x[first];
    KG_UNROLL for (u32 k = 1; k < InFlight; ++k) {
      const i64 offset = next();
      value[k] = x[i + u64{k} * step < last ? offset : first];
    }
    State state[InFlight];
    KG_UNROLL for (u32 k = 0; k < InFlight; ++k) state[k] =
        i + u64{k} * step < last ? R::of(value[k], index + static_cast<u32>(i) + k * step) : R::identity();
    total = R::combine(total, combine_tree<R, InFlight>(state));
  }
  return total;
}

}  // namespace detail

/// Reduces elements [first, last) of a view.
template <class R, class T>
KG_DEVICE typename R::State accumulate(const Group& group, const T* x, const Strided<1>& layout, u32 first,
                                       u32 last, u32 index) {
  if (layout.rank == 1 && layout.stride[0][0] == 1)
    return accumulate<R>(group, x + first, last - first, index + first);
  u32 at = first + group.rank;
  constexpr u32 few = loads_in_flight / 2;
  // With an index each, the masks of more elements would not fit the scalar registers.
  constexpr bool has_room = R::kind != StateKind::index;
  if (layout.rank <= 2) {
    detail::SteadySteps steps(layout, at, group.size);
    const auto next = [&]() KG_INLINE { return steps.next(); };
    if (has_room && last - first > u64{few} * group.size)
      return detail::accumulate_apart<R, loads_in_flight>(x, at, last, group.size, index, next);
    return detail::accumulate_apart<R, few>(x, at, last, group.size, index, next);
  }
  return detail::accumulate_apart<R, few>(x, at, last, group.size, index, [&]() KG_INLINE {
    const i64 here = locate(layout, at).offset[0];
    at += group.size;
    return here;
  });
}

/// A no-op that returns false: on GPUs, groups of threads reduce rows of every length.
template <class R, class T, class Put>
KG_DEVICE bool accumulate_short_rows(const T*, const Strided<1>&, const Strided<1>&, Put) {
  return false;
}

/// Columns of a tile that `across` threads, a power of two, process.
template <class R, class T>
KG_DEVICE u32 column_tile(u32 across) {
  while (across > block_size()) across /= 2;
  return across * column_pack(sizeof(T), sizeof(typename R::State));
}

namespace detail {

/// Loads W elements from each of `from`; if not `packed`, only the first `there` of each, and the others are
/// unspecified. Issues all loads before the first insertion into a pack, which waits for its load.
template <class T, int W, u32 Count>
KG_DEVICE void load_lines(Pack<T, W> (&pack)[Count], const T* const (&from)[Count], bool packed, u32 there) {
  if (packed) {
    KG_UNROLL for (u32 k = 0; k < Count; ++k) pack[k] = load_pack<W>(from[k]);
    return;
  }
  T value[Count][W];
  const u32 some = optimization_barrier(there);
  KG_UNROLL for (u32 k = 0; k < Count; ++k) {
    KG_UNROLL for (u32 e = 0; e < W; ++e) value[k][e] = from[k][e < some ? e : 0];
  }
  KG_UNROLL for (u32 k = 0; k < Count; ++k) {
    pack[k] = {};
    KG_UNROLL for (int e = 0; e < W; ++e) pack[k].set(e, value[k][e]);
  }
}

}  // namespace detail

/// Reduces each of `columns` contiguous columns from x on, over the rows [first, last) of `rows`. Calls
/// put(first, n, of) for n columns, where of(k) is the State of the k-th. Rows are distributed over slices of
/// the block. All threads of the block must call it.
template <class R, class T, class Put>
KG_DEVICE void accumulate_columns(const T* x, u32 columns, i64 /*step: 1*/, const Strided<1>& rows, u32 first,
                                  u32 last, u32 index, u32 across, Put put) {
  using State = typename R::State;
  using Words = detail::Words<State>;
  constexpr int W = column_pack(sizeof(T), sizeof(State));
  constexpr u32 in_flight = sizeof(T) == 1 ? loads_in_flight / 2 : loads_in_flight;
  constexpr u32 few = in_flight / 2;
  constexpr u32 run = 16;  // loads per partial result
  KG_SHARED Words slots[W][block_threads];
  const u32 width = column_tile<R, T>(across) / W, bits = native::lowest_bit(width);
  const u32 slices = block_size() >> bits, slice = thread_index() >> bits;
  const u32 column = (thread_index() & (width - 1)) * W;
  const bool works = slice < slices && column < columns;
  bool fits = column + W <= columns && is_aligned<W>(x + column);
  for (u32 d = 0; d < rows.rank; ++d) fits = fits && rows.stride[0][d] % W == 0;
  const u32 packed = optimization_barrier(fits ? 1u : 0u);  // a mask would occupy scalar registers
  const auto line = [&](u32 row) KG_INLINE { return x + column + offset_of(rows, row); };
  State total[W];
  KG_UNROLL for (int e = 0; e < W; ++e) total[e] = R::identity();
  for (u64 row = static_cast<u64>(first) + slice; works && row < last;) {
    State partial[W];
    KG_UNROLL for (int e = 0; e < W; ++e) partial[e] = R::identity();
    u32 step = 0;
    for (; packed != 0 && step < run && row + (in_flight - 1) * slices < last;
         ++step, row += in_flight * slices) {
      Pack<T, W> pack[in_flight];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) pack[k] =
          load_pack<W>(line(static_cast<u32>(row) + k * slices));
      KG_UNROLL for (int e = 0; e < W; ++e) {
        State state[in_flight];
        KG_UNROLL for (u32 k = 0; k < in_flight; ++k) state[k] =
            R::of(pack[k].get(e), index + static_cast<u32>(row) + k * slices);
        partial[e] = R::combine(partial[e], detail::combine_tree<R, in_flight>(state));
        sched_barrier();
      }
    }
    // The remainder is loaded in parallel too: sequential loads would take as long as a full run.
    for (; step < run && row < last; ++step, row += few * slices) {
      Pack<T, W> pack[few];
      const T* from[few];
      const u32 here = static_cast<u32>(row), left = last - here;
      const auto is_there = [&](u32 k) KG_INLINE { return k * slices < optimization_barrier(left); };
      KG_UNROLL for (u32 k = 0; k < few; ++k) from[k] = line(is_there(k) ? here + k * slices : here);
      detail::load_lines(pack, from, packed != 0, columns - column);
      KG_UNROLL for (u32 k = 0; k < few; ++k) if (is_there(k)) {
        KG_UNROLL for (int e = 0; e < W; ++e) partial[e] =
            R::combine(partial[e], R::of(pack[k].get(e), index + here + k * slices));
        sched_barrier();
      }
    }
    KG_UNROLL for (int e = 0; e < W; ++e) total[e] = R::combine(total[e], partial[e]);
  }

  KG_UNROLL for (int e = 0; e < W; ++e) slots[e][thread_index()] = bit_cast<Words>(total[e]);
  sync();
  for (u32 left = slices; left > 1;) {
    const u32 half = (left + 1) / 2;
    if (slice + half < left) {
      KG_UNROLL for (int e = 0; e < W; ++e) {
        total[e] = R::combine(total[e], bit_cast<State>(slots[e][thread_index() + half * width]));
        slots[e][thread_index()] = bit_cast<Words>(total[e]);
      }
    }
    left = half;
    sync();
  }
  if (works && slice == 0) {
    KG_UNROLL for (int e = 0; e < W; ++e) if (column + e < columns)
        put(column + e, 1, [&](u32) KG_INLINE { return total[e]; });
  }
  sync();  // the slots are reused by the next call
}

}  // namespace kg
