#pragma once
/// Attention in tiles of 64 rows by one warpgroup.
#include "attention/mma_warpgroup_gpu.hpp"

namespace kg::detail {

template <class S, u32 W>
struct Rows64Tile
    : WarpgroupTile<S, W, attention_rows64_threads, attention_rows64_keys, attention_rows64_stages(W)> {
  static_assert(Rows64Tile::rows == attention_rows64, "host and kernel disagree on rows");
  static_assert(Rows64Tile::shared_bytes == attention_rows64_shared_bytes(W, sizeof(S)),
                "host and kernel disagree on shared memory");
  static constexpr u32 key_stages = attention_rows64_stages(W) / 4 + 1,
                       value_stages = attention_rows64_stages(W) - key_stages;
};

#if KG_WARPGROUPS

/// One warpgroup. Several blocks share a multiprocessor, and each computes while others wait for memory. With two stages of values, the
/// products with the previous ones are in flight while weights are computed.
template <class T, u32 W>
struct Rows64Work : WarpgroupSteps<T, W, Rows64Tile<T, W>> {
  using Base = WarpgroupSteps<T, W, Rows64Tile<T, W>>;
  using Tile = typename Base::Tile;
  using Unit = typename Base::Unit;
  using Logits = typename Base::Logits;
  using Base::results;
  using Base::work;

  KG_DEVICE void run(T* shared, u32* needs_recompute) {
    constexpr u32 stage = Tile::KeyLayout::elements;
    constexpr bool has_two_key_stages = Tile::key_stages == 2, has_two_value_stages = Tile::value_stages == 2;
    const Attention<T, T> x = work.operands();
    const AttentionTile<T, T> tile = work.tile(x);
    const KeyRange range = tile.keys;
    if (range.begin >= range.end) return;
    const KeyRows<T> k(tile.sequence, x.k, x.shape.k, needs_recompute),
        v(tile.sequence, x.v, x.shape.v, needs_recompute);
    const LogitScale scale(x);
    T* const keys = shared + Tile::QueryLayout::elements;
    T* const values = keys + Tile::key_stages * stage;
    Base::load_queries(shared, x, tile);
    Base::copy(keys, k, range.begin, range.end);
    async_copy_commit();
    Base::copy(values, v, range.begin, range.end);
    if (has_two_key_stages && range.begin + Tile::keys < range.end)
      Base::copy(keys + stage, k, range.begin + Tile::keys, range.end);
    async_copy_commit();
    async_copy_wait<1>();
    show_copies<Tile::threads>();
    const u64 queries = side_in_shared(shared, Tile::QueryLayout::panel);
    Logits logits;
    typename Unit::Part weights[Tile::key_tiles];
    start_products();
    this->multiply_keys(logits, queries, keys);
    await_products<0>();
    u32 first = range.begin, key_stage = 0, value_stage = 0;
    while (true) {
      const u32 next = first + Tile::keys, last = first + Tile::key_stages * Tile::keys;
      sync();  // no product reads the stage of these keys any longer
      if (last < range.end) Base::copy(keys + key_stage, k, last, range.end);
      if (!has_two_value_stages && first > range.begin) Base::copy(values, v, first, range.end);
      async_copy_commit();
      hold_sums(logits[0]);
      this->finish(logits, first, range, scale);
      const auto factors = results.raise(logits, scale.factor);
      results.template weigh<Tile::key_tiles>(0, logits[0], scale.factor);
      await_products<0>();
      hold_sums(results.sum[0]);
      results.multiply(factors);
      KG_UNROLL for (u32 i = 0; i < Tile::key_tiles; ++i) weights[i] = Unit::part(logits[0][i]);
      async_copy_wait<has_two_key_stages ? 1 : 0>();
      show_copies<Tile::threads>();  // also: no product reads the previous values any longer
      if (next >= range.end) break;
      if (has_two_key_stages) key_stage = stage - key_stage;
      hold_sums(results.sum[0]);
      start_products();
      this->multiply_keys(logits, queries, keys + key_stage);
      this->add_values(weights, values + value_stage);
      if (has_two_value_stages) {
        value_stage = stage - value_stage;
        Base::copy(values + value_stage, v, next, range.end);
        async_copy_commit();
      }
      await_products<has_two_value_stages ? 1 : 0>();
      first = next;
    }
    hold_sums(results.sum[0]);
    start_products();
    this->add_values(weights, values + value_stage);
    await_products<0>();
    hold_sums(results.sum[0]);
  }
};

#endif

}  // namespace kg::detail
