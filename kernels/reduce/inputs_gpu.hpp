#pragma once
/// Reductions of several inputs on GPUs.
#include "reduce/inputs_reduction.hpp"
#include "reduce/reduce.hpp"

namespace kg::detail {

/// Combines the States of elements [first, last) of an output, whose first elements are at `base`: this thread's share.
template <class R, int N>
KG_DEVICE typename R::State reduce_elements(const R& r, const Group& group, const i64 (&base)[N],
                                            const Strided<N>& reduced, u32 first, u32 last) {
  using State = typename R::State;
  constexpr u32 together = loads_in_flight / 2;
  State total = r.identity();
  const u64 step = u64{together} * group.size;
  for (u64 from = u64{first} + group.rank; from < last;) {
    State part = r.identity();
    for (u32 run = 0; run < input_run && from < last; run += together, from += step) {
      State state[together];
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        // The last element repeats for missing ones.
        const u64 at = from + u64{k} * group.size;
        Position<N> position = locate(reduced, at < last ? static_cast<u32>(at) : last - 1);
        add_offsets(position.offset, base);
        state[k] = state_at(r, position.offset);
      }
      KG_UNROLL for (u32 k = 0; k < together; ++k) if (from + u64{k} * group.size < last) part =
          r.combine(part, state[k]);
    }
    total = r.combine(total, part);
  }
  return total;
}

/// Calls put(e, State) for the columns e of a tile that are there, and this thread has: `width` threads take neighbours, the
/// others of the block further rows.
template <class R, int N, class Put>
KG_DEVICE void reduce_tile(const R& r, const i64 (&base)[N], const Strided<N>& kept,
                           const Strided<N>& reduced, const Part& range, u32 there, u32 width, Put put) {
  using State = typename R::State;
  constexpr u32 W = column_pack(sizeof(*r.x[0]), sizeof(State));  // columns of a thread
  const u32 slices = block_size() / width, slice = thread_index() / width, lane = thread_index() % width;
  State total[W], part[W];
  KG_UNROLL for (u32 e = 0; e < W; ++e) total[e] = r.identity();
  for (u64 row = u64{range.first} + slice; slice < slices && row < range.last;) {
    KG_UNROLL for (u32 e = 0; e < W; ++e) part[e] = r.identity();
    for (u32 run = 0; run < input_run && row < range.last; ++run, row += slices) {
      Position<N> at = locate(reduced, static_cast<u32>(row));
      add_offsets(at.offset, base);
      State state[W];
      KG_UNROLL for (u32 e = 0; e < W; ++e) {
        // The first column repeats for missing ones.
        const u32 column = lane + e * width;
        i64 offset[N];
        KG_UNROLL for (int n = 0; n < N; ++n) offset[n] =
            at.offset[n] + (column < there ? static_cast<i64>(column) * kept.stride[n][0] : 0);
        state[e] = state_at(r, offset);
      }
      KG_UNROLL for (u32 e = 0; e < W; ++e) part[e] = r.combine(part[e], state[e]);
    }
    KG_UNROLL for (u32 e = 0; e < W; ++e) total[e] = r.combine(total[e], part[e]);
  }
  KG_SHARED Words<State> slots[W][block_threads];
  sync();  // an earlier tile's may still be read
  KG_UNROLL for (u32 e = 0; e < W; ++e) slots[e][thread_index()] = bit_cast<Words<State>>(total[e]);
  sync();
  if (slice != 0) return;
  for (u32 s = 1; s < slices; ++s)
    KG_UNROLL for (u32 e = 0; e < W; ++e) total[e] =
        r.combine(total[e], bit_cast<State>(slots[e][s * width + lane]));
  KG_UNROLL for (u32 e = 0; e < W; ++e) if (lane + e * width < there) put(lane + e * width, total[e]);
}

/// Columns of a tile that `across` threads, a power of two, take, and threads of one line of it.
template <class R>
KG_DEVICE u32 tile_of_columns(const R& r, u32& across) {
  while (across > block_size()) across /= 2;
  return across * column_pack(sizeof(*r.x[0]), sizeof(typename R::State));
}

}  // namespace kg::detail
