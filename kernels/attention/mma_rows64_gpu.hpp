#pragma once
/// Attention in tiles of 64 rows by one warpgroup.
#include "attention/mma_warpgroup_gpu.hpp"

namespace kg::detail {

template <class S, u32 W>
struct Rows64Tile : WarpgroupTile<S, W, attention_rows64_threads, attention_rows64_keys, 2> {
  static_assert(Rows64Tile::rows == attention_rows64, "host and kernel disagree on rows");
  static_assert(Rows64Tile::shared_bytes == attention_rows64_shared_bytes(W, sizeof(S)),
                "host and kernel disagree on shared memory");
};

#if KG_WARPGROUPS

/// One warpgroup with one stage of keys and one of values. Several blocks share a multiprocessor, and each computes while others wait
/// for memory.
template <class T, u32 W>
struct Rows64Work : WarpgroupSteps<T, W, Rows64Tile<T, W>> {
  using Base = WarpgroupSteps<T, W, Rows64Tile<T, W>>;
  using Tile = typename Base::Tile;
  using Unit = typename Base::Unit;
  using Logits = typename Base::Logits;
  using Base::results;
  using Base::work;

  KG_DEVICE void run(T* shared, u32* needs_recompute) {
    const Attention<T, T> x = work.operands();
    const AttentionTile<T, T> tile = work.tile(x);
    const KeyRange range = tile.keys;
    if (range.begin >= range.end) return;
    const KeyRows<T> k(tile.sequence, x.k, x.shape.k, needs_recompute),
        v(tile.sequence, x.v, x.shape.v, needs_recompute);
    const LogitScale scale(x);
    T* const keys = shared + Tile::QueryLayout::elements;
    T* const values = keys + Tile::KeyLayout::elements;
    Base::load_queries(shared, x, tile);
    Base::copy(keys, k, range.begin, range.end);
    async_copy_commit();
    Base::copy(values, v, range.begin, range.end);
    async_copy_commit();
    async_copy_wait<1>();
    show_copies<Tile::threads>();
    const u64 queries = side_in_shared(shared, Tile::QueryLayout::panel);
    for (u32 first = range.begin;;) {
      Logits logits;
      start_products();
      this->multiply_keys(logits, queries, keys);
      await_products<0>();
      hold_sums(logits[0]);
      async_copy_wait_all();
      show_copies<Tile::threads>();  // also: no product reads these keys any longer
      const u32 next = first + Tile::keys;
      if (next < range.end) Base::copy(keys, k, next, range.end);
      this->finish(logits, first, range, scale);
      results.multiply(results.raise(logits, scale.factor));
      results.template weigh<Tile::key_tiles>(0, logits[0], scale.factor);
      typename Unit::Part weights[Tile::key_tiles];
      KG_UNROLL for (u32 i = 0; i < Tile::key_tiles; ++i) weights[i] = Unit::part(logits[0][i]);
      hold_sums(results.sum[0]);
      start_products();
      this->add_values(weights, values);
      await_products<0>();
      hold_sums(results.sum[0]);
      if (next >= range.end) return;
      async_copy_wait_all();
      show_copies<Tile::threads>();  // also: no product reads these values any longer
      Base::copy(values, v, next, range.end);
      first = next;
    }
  }
};

#endif

}  // namespace kg::detail
