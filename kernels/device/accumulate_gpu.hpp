#pragma once
#include "device/group.hpp"
#include "device/pack.hpp"
#include "device/position.hpp"

namespace kg {
namespace detail {

/// States of neighbours combined in pairs, pairs in pairs.
template <class R, int Count, class State>
KG_DEVICE State combine_tree(State* state) {
  KG_UNROLL for (int half = Count / 2; half > 0; half /= 2) {
    KG_UNROLL for (int i = 0; i < Count / 2; ++i) {
      if (i < half) state[i] = R::combine(state[i], state[i + half]);
    }
  }
  return state[0];
}

/// Elements a thread takes at once: 16 bytes, unless their States would fill the registers.
template <class R, class T>
KG_DEVICE constexpr int row_pack() {
  return sizeof(typename R::State) * (16 / sizeof(T)) > 64 ? 8 / sizeof(T) : 16 / sizeof(T);
}

}  // namespace detail

/// x[0, n), whose first element has the number `index`: this thread's part, to be combined over the group.
template <class R, class T>
KG_DEVICE typename R::State accumulate(const Group& group, const T* x, u32 n, u32 index) {
  using State = typename R::State;
  constexpr int W = detail::row_pack<R, T>(), in_flight = W * sizeof(State) > 32 ? 2 : 4;
  State total = R::identity();
  const u32 misaligned = static_cast<u32>(reinterpret_cast<u64>(x) % (W * sizeof(T))) / sizeof(T);
  u32 head = (W - misaligned) % W;
  if (head > n) head = n;
  for (u32 i = group.rank; i < head; i += group.size) total = R::combine(total, R::of(x[i], index + i));
  const u32 packs = (n - head) / W;
  for (u32 base = group.rank; base < packs; base += group.size * in_flight) {
    Pack<T, W> pack[in_flight] = {};
    KG_UNROLL for (int k = 0; k < in_flight; ++k) {
      const u32 p = base + k * group.size;
      if (p < packs) pack[k] = load_pack<W>(x + head + static_cast<u64>(p) * W);
    }
    KG_UNROLL for (int k = 0; k < in_flight; ++k) {
      const u32 p = base + k * group.size;
      State state[W];
      KG_UNROLL for (int e = 0; e < W; ++e) state[e] = R::of(pack[k].get(e), index + head + p * W + e);
      if (p < packs) total = R::combine(total, detail::combine_tree<R, W>(state));
    }
  }
  for (u32 i = head + packs * W + group.rank; i < n; i += group.size)
    total = R::combine(total, R::of(x[i], index + i));
  return total;
}

/// The same of elements [first, last) of a view.
template <class R, class T>
KG_DEVICE typename R::State accumulate(const Group& group, const T* x, const Strided<1>& layout, u32 first,
                                       u32 last, u32 index) {
  using State = typename R::State;
  if (layout.rank == 1 && layout.stride[0][0] == 1)
    return accumulate<R>(group, x + first, last - first, index + first);
  constexpr int in_flight = 4;
  State total = R::identity();
  for (u64 base = static_cast<u64>(first) + group.rank; base < last; base += group.size * in_flight) {
    State state[in_flight];
    KG_UNROLL for (int k = 0; k < in_flight; ++k) {
      const u64 i = base + k * group.size;
      state[k] = R::identity();
      if (i < last)
        state[k] = R::of(x[locate(layout, static_cast<u32>(i)).offset[0]], index + static_cast<u32>(i));
    }
    total = R::combine(total, detail::combine_tree<R, in_flight>(state));
  }
  return total;
}

/// Neighbouring columns a thread takes: 16 bytes, unless their States would fill the registers.
template <class R, class T>
KG_DEVICE constexpr int column_pack() {
  int width = 16 / sizeof(T);
  while (width * sizeof(typename R::State) > 32) width /= 2;
  return width;
}

/// Columns of a tile that `across` threads stand side by side at.
template <class R, class T>
KG_DEVICE u32 column_tile(u32 across) {
  while (across > block_size()) across /= 2;
  return across * column_pack<R, T>();
}

/// `columns` neighbours from x on, over the rows [first, last) that `rows` walks: put(column, State) for each.
/// Rows are dealt to the threads of a block that stand above one another. All of a block's threads call it.
template <class R, class T, class Put>
KG_DEVICE void accumulate_columns(const T* x, u32 columns, const Strided<1>& rows, u32 first, u32 last,
                                  u32 index, u32 across, Put put) {
  using State = typename R::State;
  using Words = detail::Words<State>;
  constexpr int W = column_pack<R, T>(), in_flight = 4;
  constexpr u32 run = 16 * in_flight;  // rows after which a thread begins a new partial result
  KG_SHARED Words slots[W][block_threads];
  const u32 width = column_tile<R, T>(across) / W, slices = block_size() / width;
  const u32 slice = thread_index() / width, column = thread_index() % width * W;
  const bool works = slice < slices && column < columns;

  State total[W];
  KG_UNROLL for (int e = 0; e < W; ++e) total[e] = R::identity();
  for (u64 begin = static_cast<u64>(first) + slice; works && begin < last; begin += slices * run) {
    State partial[W];
    KG_UNROLL for (int e = 0; e < W; ++e) partial[e] = R::identity();
    for (u32 step = 0; step < run; step += in_flight) {
      if (begin + step * slices >= last) break;
      State state[W][in_flight];
      KG_UNROLL for (int k = 0; k < in_flight; ++k) {
        const u64 row = begin + (step + k) * slices;
        Pack<T, W> pack = {};
        const bool inside = row < last;
        if (inside) {
          const T* from = x + column + locate(rows, static_cast<u32>(row)).offset[0];
          if (column + W <= columns && is_aligned<W>(from)) {
            pack = load_pack<W>(from);
          } else {
            KG_UNROLL for (int e = 0; e < W; ++e) if (column + e < columns) pack.set(e, from[e]);
          }
        }
        KG_UNROLL for (int e = 0; e < W; ++e) state[e][k] =
            inside ? R::of(pack.get(e), index + static_cast<u32>(row)) : R::identity();
      }
      KG_UNROLL for (int e = 0; e < W; ++e) partial[e] =
          R::combine(partial[e], detail::combine_tree<R, in_flight>(state[e]));
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
    KG_UNROLL for (int e = 0; e < W; ++e) if (column + e < columns) put(column + e, total[e]);
  }
  sync();  // the slots serve the next call
}

}  // namespace kg
