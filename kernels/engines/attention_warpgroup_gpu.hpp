#pragma once
/// Attention by matrix instructions of warpgroups: logits of the next keys and sums of these keys' values are on their way
/// at a time, and the next weights are made of the logits while values are added (Shah et al., "FlashAttention-3", 2024).
#include "device/warpgroup.hpp"
#include "engines/attention_tile_work_gpu.hpp"

namespace kg::detail {

/// How such a block's tile of queries with rows of up to `W` elements is cut.
template <class S, u32 W>
struct WarpgroupTile : TileShape<S, W, attention_warpgroup_threads, attention_warpgroup_keys(W)> {
  using Shape = TileShape<S, W, attention_warpgroup_threads, attention_warpgroup_keys(W)>;
  using QueryLayout = SwizzledLayout<Shape::rows, W>;
  using KeyLayout = SwizzledLayout<Shape::keys, W>;
  static constexpr u32 shared_bytes = (QueryLayout::elements + 4 * KeyLayout::elements) * sizeof(S);
  static_assert(shared_bytes == attention_warpgroup_shared_bytes(W, sizeof(S)),
                "the launch gives what the tile takes");
};

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

template <class T, u32 W>
struct WarpgroupWork : TileWork<T, T, WarpgroupTile<T, W>> {
  using Base = TileWork<T, T, WarpgroupTile<T, W>>;
  using Tile = typename Base::Tile;
  using Unit = typename Base::Unit;
  using Sum = typename Base::Sum;
  using Logits = typename Base::Logits;
  using KeyLayout = typename Tile::KeyLayout;
  using Base::results;
  using Base::work;

  /// Keys and values that are multiplied, and those that are on their way: two stages of each.
  KG_DEVICE void run(T* shared, u32* spoilt) {
    const Attention<T, T> x = work.operands();
    const AttentionPart<T, T> part(x, work.rows_each(), work.index);
    const KeyRange range = part.keys;
    const KeyRows<T> k(part.sequence, x.k, x.shape.k, spoilt), v(part.sequence, x.v, x.shape.v, spoilt);
    const LogitScale scale(x);
    T* const keys = shared + Tile::QueryLayout::elements;
    T* const values = keys + 2 * KeyLayout::elements;
    copy_queries<Tile, typename Tile::QueryLayout>(shared, part);
    if (range.begin < range.end) copy(keys, k, range.begin, range.end);
    wait_for_copies();
    if (range.begin >= range.end) return;

    const u64 queries = side_in_shared(shared + thread_index() / 128 * 64 * Tile::QueryLayout::row_step,
                                       Tile::QueryLayout::panel);
    copy(values, v, range.begin, range.end);
    u32 next = range.begin + Tile::keys;
    if (next < range.end) copy(keys + KeyLayout::elements, k, next, range.end);
    Logits logits;
    start_products();
    multiply_keys(logits, queries, keys);
    end_products();
    await_products<0>();
    hold_sums(logits[0]);
    this->finish(logits, range.begin, range, scale);
    results.raise(logits, scale.factor);
    typename Unit::Part weights[Tile::key_tiles];
    weigh(logits, scale);
    narrow(weights, logits);

    u32 stage = 0;
    for (; next < range.end; next += Tile::keys) {
      wait_for_copies();
      const u32 other = KeyLayout::elements - stage;
      copy(values + other, v, next, range.end);
      if (next + Tile::keys < range.end) copy(keys + stage, k, next + Tile::keys, range.end);
      hold_sums(results.sum[0]);
      start_products();
      multiply_keys(logits, queries, keys + other);
      end_products();
      add_values(weights, values + stage);
      end_products();
      await_products<1>();
      hold_sums(logits[0]);
      this->finish(logits, next, range, scale);
      const auto factor = results.raise(logits, scale.factor);
      weigh(logits, scale);
      await_products<0>();
      hold_sums(results.sum[0]);
      results.multiply(factor);
      narrow(weights, logits);
      stage = other;
    }
    wait_for_copies();
    hold_sums(results.sum[0]);
    start_products();
    add_values(weights, values + stage);
    end_products();
    await_products<0>();
    hold_sums(results.sum[0]);
  }

 private:
  static KG_DEVICE void copy(T* to, const KeyRows<T>& rows, u32 first, u32 end) {
    copy_rows<KeyLayout, Tile::threads, Tile::keys, W>(to, rows, first, end);
  }
  /// Of all threads; and for their products.
  static KG_DEVICE void wait_for_copies() {
    await_copies();
    show_products();
    sync();
  }

  static KG_DEVICE void multiply_keys(Logits& logits, u64 queries, const T* keys) {
    const u64 side = side_in_shared(keys, KeyLayout::panel);
    KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
      const u32 panel = p / 4, term = p % 4 * 16;
      WarpgroupUnit<T, Tile::keys>::multiply(logits[0],
                                             side_behind(queries, panel * Tile::QueryLayout::panel + term),
                                             side_behind(side, panel * KeyLayout::panel + term), p > 0);
    }
  }

  KG_DEVICE void add_values(const typename Unit::Part (&weights)[Tile::key_tiles], const T* values) {
    constexpr u32 columns = W < 128 ? W : 128;
    const u64 side = side_in_shared(values, KeyLayout::panel);
    KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) {
      KG_UNROLL for (u32 e = 0; e < W; e += columns) WarpgroupUnit<T, columns>::multiply(
          results.sum[0] + e / 16, weights[k],
          side_behind(side, e / 64 * KeyLayout::panel + k * 16 * KeyLayout::row_step));
    }
  }

  KG_DEVICE void weigh(Logits& logits, const LogitScale& scale) {
    KG_UNROLL for (Sum& sum : logits[0]) results.weigh(0, sum, scale.factor);
  }

  static KG_DEVICE void narrow(typename Unit::Part (&weights)[Tile::key_tiles], const Logits& logits) {
    KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) weights[k] = Unit::part(logits[0][k]);
  }
};

#endif

}  // namespace kg::detail
