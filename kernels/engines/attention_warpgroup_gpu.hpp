#pragma once
/// Attention by matrix instructions of two warpgroups, of which one multiplies while the other makes weights (Shah et al.,
/// "FlashAttention-3", 2024).
#include "device/warpgroup.hpp"
#include "engines/attention_tile_work_gpu.hpp"

namespace kg::detail {

/// How such a block's tile of queries with rows of up to `W` elements is cut.
template <class S, u32 W>
struct WarpgroupTile : TileShape<S, W, attention_warpgroup_threads, attention_warpgroup_keys(W)> {
  using Shape = TileShape<S, W, attention_warpgroup_threads, attention_warpgroup_keys(W)>;
  using QueryLayout = SwizzledLayout<Shape::rows, W>;
  using KeyLayout = SwizzledLayout<Shape::keys, W>;
  static constexpr u32 shared_bytes = (QueryLayout::elements + 5 * KeyLayout::elements) * sizeof(S);
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

  /// Between two meetings of the block one warpgroup multiplies first and makes weights then, the other one the other way
  /// round: both use the same keys and values, and the matrix units always have work. Some of each are multiplied while
  /// the next are on their way; of the values before them products may still be under way when the block meets.
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
    meet();
    if (range.begin >= range.end) return;

    const u32 warpgroup = native::first_lane(thread_index() / 128);
    const u64 queries =
        side_in_shared(shared + warpgroup * 64 * Tile::QueryLayout::row_step, Tile::QueryLayout::panel);
    const bool leads = warpgroup == 0;
    u32 first = range.begin, stage = 0, value_stage = 0;
    copy(values, v, first, range.end);
    if (first + Tile::keys < range.end) copy(keys + KeyLayout::elements, k, first + Tile::keys, range.end);
    const auto meet_for_more = [&]() KG_INLINE {
      meet();
      const u32 next = first + Tile::keys;
      if (next < range.end) copy(values + behind(value_stage), v, next, range.end);
      if (next + Tile::keys < range.end) copy(keys + stage, k, next + Tile::keys, range.end);
    };
    // Without rows of its own a warpgroup only copies.
    if (warpgroup * 64 >= part.count) {
      for (; first < range.end; first += Tile::keys) {
        meet_for_more();
        stage = KeyLayout::elements - stage;
        value_stage = behind(value_stage);
      }
      return;
    }

    Logits logits;
    typename Unit::Part weights[Tile::key_tiles];
    start_products();
    multiply_keys(logits, queries, keys);
    end_products();
    await_products<0>();
    while (true) {
      if (!leads) meet_for_more();
      hold_sums(logits[0]);
      this->finish(logits, first, range, scale);
      const auto factors = results.raise(logits, scale.factor);
      results.template weigh<Tile::key_tiles>(0, logits[0], scale.factor);
      await_products<0>();
      hold_sums(results.sum[0]);
      results.multiply(factors);
      KG_UNROLL for (u32 i = 0; i < Tile::key_tiles; ++i) weights[i] = Unit::part(logits[0][i]);
      if (leads) meet_for_more();
      if (first + Tile::keys >= range.end) break;
      hold_sums(results.sum[0]);
      start_products();
      multiply_keys(logits, queries, keys + KeyLayout::elements - stage);
      end_products();
      add_values(weights, values + value_stage);
      end_products();
      await_products<1>();
      first += Tile::keys;
      stage = KeyLayout::elements - stage;
      value_stage = behind(value_stage);
    }
    hold_sums(results.sum[0]);
    start_products();
    add_values(weights, values + value_stage);
    end_products();
    await_products<0>();
    hold_sums(results.sum[0]);
  }

 private:
  /// The stage of values behind this one, of three.
  static KG_DEVICE u32 behind(u32 stage) {
    return stage == 2 * KeyLayout::elements ? 0 : stage + KeyLayout::elements;
  }
  static KG_DEVICE void copy(T* to, const KeyRows<T>& rows, u32 first, u32 end) {
    static_assert(Tile::threads / (W / 8) % 8 == 0,
                  "each line of a thread's has its packs in the same order");
    copy_rows<KeyLayout, Tile::threads, Tile::keys, W>(to, rows, first, end);
  }
  /// All threads' copies are there afterwards, for products too.
  static KG_DEVICE void meet() {
    await_copies();
    show_products();
    sync_warpgroups<Tile::threads>();
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
};

#endif

}  // namespace kg::detail
