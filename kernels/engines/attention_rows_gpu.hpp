#pragma once
/// Attention on GPUs by single multiplications. A block takes up to attention_rows_each rows of q that share their keys:
/// row r of a sequence and a head of k is query r / group of head r % group of those that share it.
#include "engines/attention_lanes_gpu.hpp"

namespace kg {
namespace detail {

/// Element e of row t of `head`: the result, or with splits its part of it. With e = 0 goes what is a row's.
template <class T, class K>
KG_DEVICE void store_attention(const AttentionHead<T, K>& head, u32 t, u32 split, u32 e, AttentionState state,
                               f32 sum) {
  const Attention<T, K>& x = head.all;
  const u64 row = head.row(t);
  if (x.shape.splits > 1) {
    const PartialRows partials = partial_rows(x);
    partials.sums(row, split)[e] = sum;
    if (e == 0) *partials.state(row, split) = state;
    return;
  }
  const AttentionState whole = x.sinks ? with_sink(state, x.sinks[head.head]) : state;
  head.result(t)[e] = convert<T>(sum * share_of(state, whole));
  if (e == 0 && x.log_sums) x.log_sums[row] = log_sum(whole);
}

/// Of the keys of both.
KG_DEVICE AttentionState both(const AttentionState& a, const AttentionState& b) {
  const f32 top = b.top > a.top ? b.top : a.top;
  return {top, native::fma(a.weight, attention_decay(a.top, top), b.weight * attention_decay(b.top, top))};
}

/// The rows of the block's part, R or fewer.
template <u32 R, u32 W, class T, class K>
KG_DEVICE void attend_rows(const AttentionPart<T, K>& part, u32 lanes, AttentionRowsShared& shared) {
  const AttentionShape& shape = part.sequence.all.shape;
  for (u32 i = thread_index(); i < R * attention_widest; i += block_size()) {
    const u32 r = i / attention_widest, e = i % attention_widest;
    shared.rows[r][e] =
        r < part.count && e < shape.width ? widen(part.head(r).query(part.query(r))[e]) : 0.0f;
  }
  sync();
  AttentionLanes<T, K, R, W> wave(part, lanes, shared);
  const u32 waves = block_size() / wave_size(), index = thread_index() / wave_size();
  // Threads past the last whole wave only wait.
  if (index < waves) {
    wave.run();
    wave.join();
    if (wave.group.lane % (wave.slot_lanes) == 0 && wave.group.lane < R * wave.slot_lanes)
      shared.states[index][wave.slot] = wave.state;
  }
  sync();
  for (u32 turn = 0; turn < waves; ++turn) {
    if (index == turn && wave.group.lane < lanes) {
      KG_UNROLL for (u32 r = 0; r < R; ++r) {
        f32 top = negative_infinity();
        for (u32 i = 0; i < waves; ++i) {
          const f32 other = shared.states[i][r].top;
          top = other > top ? other : top;
        }
        const f32 factor = attention_decay(shared.states[index][r].top, top);
        KG_UNROLL for (u32 e = 0; e < lane_elements; ++e) {
          f32& sum = shared.rows[r][wave.place(e)];
          sum = native::fma(wave.sum[r][e], factor, turn == 0 ? 0.0f : sum);
        }
      }
    }
    sync();
  }
  for (u32 i = thread_index(); i < part.count * shape.width; i += block_size()) {
    const u32 r = i / shape.width, e = i % shape.width;
    AttentionState state = shared.states[0][r];
    for (u32 w = 1; w < waves; ++w) state = both(state, shared.states[w][r]);
    store_attention(part.head(r), part.query(r), part.split, e, state, shared.rows[r][e]);
  }
}

template <u32 W, class T, class K>
KG_DEVICE void attend_part(const AttentionPart<T, K>& part, AttentionRowsShared& shared) {
  u32 lanes = lane_products;
  while (lanes * lane_elements < part.sequence.all.shape.width) lanes *= 2;
  if (part.count == 1)
    attend_rows<1, W>(part, lanes, shared);
  else if (part.count == 2)
    attend_rows<2, W>(part, lanes, shared);
  else if (part.count <= 4)
    attend_rows<4, W>(part, lanes, shared);
  else
    attend_rows<8, W>(part, lanes, shared);
}

/// One thread an element of a result: for blocks that have not a whole wave.
template <class T, class K>
KG_DEVICE void attend_singly(const Attention<T, K>& x) {
  const AttentionShape& shape = x.shape;
  const u64 rows = static_cast<u64>(shape.batch) * shape.heads * shape.queries;
  for_each_index(rows * shape.splits * shape.width, [&](u64 index) KG_INLINE {
    const u32 e = static_cast<u32>(index % shape.width);
    const u32 split = static_cast<u32>(index / shape.width % shape.splits);
    const u64 row = index / shape.width / shape.splits;
    const u32 t = static_cast<u32>(row % shape.queries);
    const u64 head_row = row / shape.queries;
    const AttentionHead<T, K> head(x, static_cast<u32>(head_row / shape.heads),
                                   static_cast<u32>(head_row % shape.heads));
    const KeyRange range = key_range(head, t, t).split(split, shape.splits);
    AttentionState state{negative_infinity(), 0};
    f32 sum = 0;
    for (u32 j = range.begin; j < range.end; ++j) {
      const i64 k = head.place(shape.k, j);
      if (k == IndexCheck::none) continue;
      f32 product = 0;
      for (u32 i = 0; i < shape.width; ++i)
        product = native::fma(widen(head.query(t)[i]), widen(x.k[k + i]), product);
      const f32 s = head.logit(product, t, j);
      if (s == negative_infinity()) continue;
      const f32 top = s > state.top ? s : state.top, factor = attention_decay(state.top, top);
      const f32 weight = attention_decay(s, top);
      state = {top, native::fma(state.weight, factor, weight)};
      sum = native::fma(sum, factor, weight * widen(x.v[head.place(shape.v, j) + e]));
    }
    store_attention(head, t, split, e, state, sum);
  });
}

}  // namespace detail

template <class T, class K>
KG_DEVICE void attention_rows(const Attention<T, K>& x) {
  if (block_size() < wave_size()) return detail::attend_singly(x);
  KG_SHARED detail::AttentionRowsShared shared;
  constexpr i64 W = sizeof(K) == 4 ? 4 : detail::lane_elements;
  const AttentionShape& shape = x.shape;
  const bool is_whole = is_aligned<W>(x.k) && is_aligned<W>(x.v) &&
                        ((shape.k.batch | shape.k.head | shape.k.row | shape.v.batch | shape.v.head |
                          shape.v.row | shape.width) &
                         (W - 1)) == 0;
  const u64 parts = attention_pieces(shape, attention_rows_each);
  for (u64 index = block_index(); index < parts; index += grid_size()) {
    const detail::AttentionPart<T, K> part(x, attention_rows_each, index);
    if (is_whole)
      detail::attend_part<W>(part, shared);
    else
      detail::attend_part<1>(part, shared);
    sync();  // the shared rows serve the next part
  }
}

}  // namespace kg
