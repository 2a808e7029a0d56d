#pragma once
/// Attention on GPUs by FMA instructions. A block processes up to attention_simt_rows rows of q that share
/// their keys: row r of a sequence and a key head is query r / group of head r % group of the heads that
/// share it.
#include "attention/simt_lanes_gpu.hpp"
#include "attention/work_gpu.hpp"

namespace kg {
namespace detail {

/// Stores element e of row t of `head`: the result, or the split's part of it. The thread with e = 0 also
/// stores the row's state or log-sum-exp. `allows_f32` says whether rows may be f32.
template <bool allows_f32 = true, class T, class K>
KG_DEVICE void store_attention(const AttentionHead<T, K>& head, u32 t, u32 split, u32 e, AttentionState state,
                               f32 sum) {
  if (head.all.shape.splits > 1) {
    const PartialRows partials = partial_rows(head.all);
    const u64 row = head.row(t);
    partials.sums(row, split)[e] = sum;
    if (e == 0) *partials.state(row, split) = state;
    return;
  }
  head.template store<allows_f32>(t, e, sum * finish_query(head, t, state, e == 0));
}

/// Combines two states.
KG_DEVICE AttentionState both(const AttentionState& a, const AttentionState& b) {
  const f32 top = b.row_max > a.row_max ? b.row_max : a.row_max;
  return {top, native::fma(a.row_sum, attention_decay(a.row_max, top),
                           b.row_sum * attention_decay(b.row_max, top))};
}

/// Loads a tile's rows of q to shared memory, and initializes the states of rows and groups that get no keys.
template <class T, class K>
KG_DEVICE void load_rows(const AttentionTile<T, K>& tile, u32 threads, AttentionRowsShared& shared) {
  const u32 width = tile.sequence.all.shape.width;
  KG_NO_UNROLL for (u32 i = thread_index(); i < tile.count * attention_widest; i += threads) {
    const u32 r = i / attention_widest, e = i % attention_widest;
    shared.rows[r][e] = e < width ? tile.head(r).query_row(tile.query(r))[e] : 0.0f;
  }
  KG_NO_UNROLL for (u32 i = thread_index(); i < threads / wave_size() * attention_simt_rows; i += threads)
      shared.states[i / attention_simt_rows][i % attention_simt_rows] = {negative_infinity(), 0};
  KG_NO_UNROLL for (u32 i = thread_index(); i < threads / lane_products; i += threads)
      shared.bad_page_keys[i] = AttentionRowsShared::no_key;
}

/// Processes a tile, with R rows per group of lanes. Afterwards the sums and the waves' states are in shared
/// memory.
template <u32 R, u32 W, class T, class K>
KG_DEVICE void sum_rows(const AttentionTile<T, K>& tile, u32 threads, AttentionRowsShared& shared) {
  using Lanes = AttentionLanes<T, K, R, W>;
  const AttentionStreams streams(tile.sequence.all.shape.width, tile.count, threads / wave_size(),
                                 tile.keys.end - tile.keys.begin, Lanes::keys);
  Lanes lanes(tile, streams, shared);
  // The other threads only take part in barriers.
  const u32 wave = thread_index() / wave_size(), waves = streams.waves;
  const bool is_leader = wave < waves && lanes.is_leader();
  if (wave < waves) {
    lanes.run();
    lanes.join();
    if (lanes.group.rank == 0) shared.bad_page_keys[lanes.group.index] = lanes.first_bad_page_key;
    if (is_leader && lanes.has_state()) shared.states[wave][lanes.row()] = lanes.state;
  }
  if (thread_index() == 0) shared.waves = waves;
  sync();
  f32 factor[R] = {};  // of this wave's sums
  if (is_leader) {
    KG_UNROLL for (u32 r = 0; r < R; ++r) {
      const u32 row = lanes.first_row + r;
      f32 top = negative_infinity();
      for (u32 i = 0; i < waves; ++i) {
        const f32 other = shared.states[i][row].row_max;
        top = other > top ? other : top;
      }
      factor[r] = attention_decay(shared.states[wave][row].row_max, top);
    }
  }
  // One wave after another adds its sums: in a fixed order, so that results are reproducible.
  KG_NO_UNROLL for (u32 turn = 0; turn < waves; ++turn) {
    if (is_leader && wave == turn) {
      const bool is_first = lanes.stream == 0;
      KG_UNROLL for (u32 r = 0; r < R; ++r) {
        KG_UNROLL for (u32 e = 0; e < lane_elements; ++e) {
          f32& sum = shared.rows[lanes.first_row + r][lanes.element(e)];
          sum = native::fma(lanes.sum[r][e], factor[r], is_first ? 0.0f : sum);
        }
      }
    }
    sync();
  }
}

/// Stores the tile's results and reports pages outside the cache.
template <class T, class K>
KG_DEVICE void store_tile(const AttentionTile<T, K>& tile, u32 threads, const AttentionRowsShared& shared) {
  const u32 width = tile.sequence.all.shape.width;
  KG_NO_UNROLL for (u32 i = thread_index(); i < tile.count * width; i += threads) {
    const u32 r = i / width, e = i % width;
    AttentionState state = shared.states[0][r];
    for (u32 w = 1; w < shared.waves; ++w) state = both(state, shared.states[w][r]);
    store_attention(tile.head(r), tile.query(r), tile.split, e, state, shared.rows[r][e]);
  }
  KG_NO_UNROLL for (u32 i = thread_index(); i < threads / lane_products; i += threads) {
    if (shared.bad_page_keys[i] == AttentionRowsShared::no_key) continue;
    tile.sequence.key_offset(tile.sequence.all.shape.k, shared.bad_page_keys[i]);
  }
}

/// One thread per result element, for blocks that cannot be divided into groups of lanes.
template <class T, class K>
KG_DEVICE void attend_tile_singly(const AttentionTile<T, K>& tile, u32 threads) {
  const AttentionShape& shape = tile.sequence.all.shape;
  KG_NO_UNROLL for (u32 i = thread_index(); i < tile.count * shape.width; i += threads) {
    const u32 t = tile.query(i / shape.width), e = i % shape.width;
    const AttentionHead<T, K> head = tile.head(i / shape.width);
    const QueryRow<T> q = head.query_row(t);
    const u32 key_begin = head.first_key(t), key_end = head.end_key(t);
    AttentionState state{negative_infinity(), 0};
    f32 sum = 0;
    KG_NO_UNROLL for (u32 j = tile.keys.begin; j < tile.keys.end; ++j) {
      const i64 k = head.key_offset(shape.k, j);
      if (k == IndexCheck::none || j < key_begin || j >= key_end) continue;
      f32 product = 0;
      KG_NO_UNROLL for (u32 d = 0; d < shape.width; ++d) product =
          native::fma(q[d], widen(tile.sequence.all.k[k + d]), product);
      const f32 s = head.logit(product, t, j);
      if (s == negative_infinity()) continue;
      const f32 top = s > state.row_max ? s : state.row_max, factor = attention_decay(state.row_max, top);
      const f32 weight = attention_decay(s, top);
      state = {top, native::fma(state.row_sum, factor, weight)};
      sum = native::fma(sum, factor, weight * widen(tile.sequence.all.v[head.key_offset(shape.v, j) + e]));
    }
    store_attention(head, t, tile.split, e, state, sum);
  }
}

/// Processes all tiles, in blocks smaller than a wave.
template <class T, class K>
KG_DEVICE void attend_singly(const Attention<T, K>& x) {
  for (u32 index = block_index(); index < x.shape.tiles.count; index += grid_size())
    attend_tile_singly(AttentionTile<T, K>(x, attention_small_rows, index), block_size());
}

/// Whether rows of k and v consist of whole, aligned accesses of W elements.
template <i64 W, class T, class K>
KG_DEVICE bool has_packed_keys(const Attention<T, K>& x) {
  const AttentionStrides &k = x.shape.k, &v = x.shape.v;
  const i64 steps = k.batch | k.head | k.row | v.batch | v.head | v.row | x.shape.width;
  return is_aligned<W>(x.k) && is_aligned<W>(x.v) && (steps & (W - 1)) == 0;
}

}  // namespace detail

/// Processes all tiles. Each with_reloaded_tile() is a step; on AMD GPUs no argument stays in a register from one to the next.
template <class T, class K>
KG_DEVICE void attention_simt(const Attention<T, K>& given) {
  constexpr u32 W = sizeof(K) == 4 ? 4 : detail::lane_elements;
  KG_SHARED detail::AttentionRowsShared shared;
  KG_SHARED ArgsInLds<Attention<T, K>> shared_args;
  KG_SHARED ArgsInLds<detail::AttentionTileData> tile_args;
  store_args(shared_args, given);
  const Uniform step = grid_size();
  for (Uniform index = block_index();; index = index + step) {
    const Uniform threads = block_size();
    const detail::AttentionItemWork<T, K, attention_simt_rows> work{shared_args, given, tile_args, index};
    u32 count;
    bool is_whole;
    {
      const Attention<T, K> x = work.operands();
      if (index >= x.shape.tiles.count) return;
      if (optimization_barrier(thread_index()) == 0) work.store_tile_args(x);
      sync();
      const detail::AttentionTile<T, K> tile = work.tile(x);
      detail::load_rows(tile, threads, shared);
      count = tile.count;
      is_whole = detail::has_packed_keys<W>(x);
    }
    // A wave may be a single group of lanes, so only an even number of waves can be divided in two halves.
    if (threads < 2 * wave_size() || threads / wave_size() % 2 != 0) {
      const Attention<T, K> x = load_args_per_thread(shared_args, given);
      detail::attend_tile_singly(work.tile(x), threads);
      continue;
    }
    if (!is_whole)
      work.with_reloaded_tile(
          [&](const auto& tile) KG_INLINE { detail::sum_rows<detail::lane_rows, 1>(tile, threads, shared); });
    else if (count == 1)
      work.with_reloaded_tile([&](const auto& tile)
                                  KG_INLINE { detail::sum_rows<1, W>(tile, threads, shared); });
    else if (count == 2)
      work.with_reloaded_tile([&](const auto& tile)
                                  KG_INLINE { detail::sum_rows<2, W>(tile, threads, shared); });
    else
      work.with_reloaded_tile(
          [&](const auto& tile) KG_INLINE { detail::sum_rows<detail::lane_rows, W>(tile, threads, shared); });
    work.with_reloaded_tile([&](const auto& tile) KG_INLINE { detail::store_tile(tile, threads, shared); });
  }
}

}  // namespace kg
