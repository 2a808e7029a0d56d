#pragma once
/// Attention by two warpgroups: one multiplies while the other computes weights (Shah et al.,
/// "FlashAttention-3", 2024).
#include "attention/warpgroup_results_gpu.hpp"

namespace kg::detail {

/// The shape of a block's tile of queries with rows of up to `W` elements, and of `stages` stages of keys and values. A warpgroup of
/// 128 threads has 64 rows.
template <class S, u32 W, u32 block, u32 keys_each, u32 stages>
struct WarpgroupTile : TileShape<S, W, block, keys_each, Unscaled, block / 2> {
  using Shape = TileShape<S, W, block, keys_each, Unscaled, block / 2>;
  using QueryLayout = SwizzledLayout<Shape::rows, W>;
  using KeyLayout = SwizzledLayout<Shape::keys, W>;
  static constexpr u32 shared_bytes = (QueryLayout::elements + stages * KeyLayout::elements) * sizeof(S);
};

template <class S>
struct TwoWarpgroupTile
    : WarpgroupTile<S, attention_widest, attention_warpgroup_threads, attention_warpgroup_keys, 5> {
  static_assert(TwoWarpgroupTile::shared_bytes == attention_warpgroup_shared_bytes(sizeof(S)),
                "host and kernel disagree on shared memory");
};

#if KG_WARPGROUPS

/// The rows of q of one head, with the interface of KeyRows that copy_rows() needs.
template <class T>
struct QueryRows {
  const AttentionShape& shape;
  const AttentionStrides& strides;
  const T* data;

  template <class K>
  KG_DEVICE explicit QueryRows(const AttentionHead<T, K>& head)
      : shape(head.all.shape), strides(head.all.shape.q), data(head.query(0)) {}

  static KG_DEVICE bool in_pages() { return false; }
  KG_DEVICE const T* row(u32 t, u32 end) const {
    return t < end ? data + static_cast<i64>(t) * strides.row : nullptr;
  }
};

/// What one and two warpgroups do alike.
template <class T, u32 W, class TileOf>
struct WarpgroupSteps : WarpgroupResults<T, TileOf> {
  using Base = WarpgroupResults<T, TileOf>;
  using Tile = typename Base::Tile;
  using Unit = typename Base::Unit;
  using Logits = typename Base::Logits;
  using KeyLayout = typename Tile::KeyLayout;
  using Base::results;
  using Base::work;

  /// Stores the results by way of the queries' shared memory, which no product reads any longer.
  KG_DEVICE bool store(const AttentionTile<T, T>& tile, T* shared) {
    const Attention<T, T>& x = tile.sequence.all;
    const bool is_split = x.shape.splits > 1, as_f32 = is_split || x.has_f32_rows();
    f32 share[Unit::chained];
    KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) share[c] = this->share_of_row(tile, c);
    const typename Base::ResultRows rows = this->result_rows(
        tile, is_split ? partial_sums(x, tile.split)
                       : RowLayout{x.y, x.shape.y, static_cast<u32>(as_f32 ? sizeof(f32) : sizeof(T))});
    return as_f32 ? store_as<f32>(tile, rows, share, shared) : store_as<T>(tile, rows, share, shared);
  }

 private:
  template <class E>
  KG_DEVICE bool store_as(const AttentionTile<T, T>& tile, const typename Base::ResultRows& rows,
                          const f32 (&share)[Unit::chained], T* shared) {
    constexpr u32 columns = Base::template line_elements<E>;
    f32 checked = 0;
    KG_UNROLL for (u32 first = 0; first < W; first += columns) {
      if (first >= tile.sequence.all.shape.width) break;
      this->template store_panel<E>(tile, rows, first, results.sum[0] + first / 16, share,
                                    shared + first / 64 * Tile::QueryLayout::panel, checked);
      // The next 64 columns have another panel.
      if (first % 64 + columns < 64) sync_wave();
    }
    return checked == 0;
  }
  /// The sums of a split's partial results.
  static KG_DEVICE RowLayout partial_sums(const Attention<T, T>& x, u32 split) {
    const i64 row = static_cast<i64>(x.shape.splits) * x.shape.width, head = row * x.shape.queries;
    return {partial_rows(x).sums(0, split), {head * x.shape.heads, head, row}};
  }

 protected:
  /// Starts to copy the tile's queries, or stores them if they have to be rounded.
  static KG_DEVICE void load_queries(T* to, const Attention<T, T>& x, const AttentionTile<T, T>& tile) {
    if (x.has_f32_rows())
      round_queries(to, tile);
    else if (x.shape.group == 1)
      copy_rows<typename Tile::QueryLayout, Tile::threads, Tile::rows, W>(
          to, QueryRows<T>(tile.sequence), tile.first_query, tile.first_query + tile.rows_there());
    else
      copy_queries<Tile, typename Tile::QueryLayout>(to, tile);
  }
  /// copy_queries() for q of f32, which is rounded to T.
  static KG_DEVICE void round_queries(T* to, const AttentionTile<T, T>& tile) {
    constexpr u32 pack = 16 / sizeof(T), packs = W / pack;
    const u32 width = tile.sequence.all.shape.width, e = thread_index() % packs * pack;
    KG_NO_UNROLL for (u32 r = thread_index() / packs; r < Tile::rows; r += Tile::threads / packs) {
      const u32 t = tile.query(r);
      const bool is_there = r < tile.count && t < tile.sequence.queries && e < width;
      store_pack(to + Tile::QueryLayout::offset(r, e),
                 is_there ? rounded_pack<pack>(tile.head(r).query_row(t), e) : Pack<T, pack>{});
    }
  }
  static KG_DEVICE void copy(T* to, const KeyRows<T>& rows, u32 first, u32 end) {
    copy_rows<KeyLayout, Tile::threads, Tile::keys, W>(to, rows, first, end);
  }

  /// Multiplies the first `used` elements of rows, as one group of products.
  template <u32 used>
  static KG_DEVICE void multiply_keys(Logits& logits, u64 queries, const T* keys) {
    const u64 side = side_in_shared(keys, KeyLayout::panel);
    KG_UNROLL for (u32 p = 0; p < used / 16; ++p) {
      const u32 panel = p / 4, term = p % 4 * 16;
      WarpgroupUnit<T, Tile::keys>::multiply(logits[0],
                                             side_at(queries, panel * Tile::QueryLayout::panel + term),
                                             side_at(side, panel * KeyLayout::panel + term), p > 0);
    }
    end_products();
  }
  KG_DEVICE void multiply_keys(Logits& logits, u64 queries, const T* keys) const {
    if (is_narrow())
      multiply_keys<narrow>(logits, queries, keys);
    else
      multiply_keys<W>(logits, queries, keys);
  }

  /// Adds to the first `used` columns, as one group of products.
  template <u32 used>
  KG_DEVICE void add_values(const typename Unit::Part (&weights)[Tile::key_tiles], const T* values) {
    constexpr u32 columns = used < 128 ? used : 128;
    const u64 side = side_in_shared(values, KeyLayout::panel);
    KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) {
      const u64 line = side_at(side, k * 16 * KeyLayout::row_step);
      WarpgroupUnit<T, columns>::multiply(results.sum[0], weights[k], line, true);
      if constexpr (used > columns)
        WarpgroupUnit<T, used - columns>::multiply(results.sum[0] + columns / 16, weights[k],
                                                   side_at(line, columns / 64 * KeyLayout::panel), true);
    }
    end_products();
  }
  KG_DEVICE void add_values(const typename Unit::Part (&weights)[Tile::key_tiles], const T* values) {
    if (is_narrow())
      add_values<narrow>(weights, values);
    else
      add_values<W>(weights, values);
  }

  /// Products skip the columns from here on if rows have no more elements.
  static constexpr u32 narrow = W == 64 ? 32 : W / 4 * 3;
  KG_DEVICE bool is_narrow() const { return work.given.shape.width <= narrow; }
};

/// Two warpgroups, for the widest rows: the registers of their sums leave room for no more tiles of 64 rows.
template <class T>
struct WarpgroupWork : WarpgroupSteps<T, attention_widest, TwoWarpgroupTile<T>> {
  using Base = WarpgroupSteps<T, attention_widest, TwoWarpgroupTile<T>>;
  using Tile = typename Base::Tile;
  using Unit = typename Base::Unit;
  using Logits = typename Base::Logits;
  using KeyLayout = typename Tile::KeyLayout;
  using Base::results;
  using Base::work;

  /// Between two barriers of the block, one warpgroup multiplies first and then computes weights; the other
  /// does the reverse. Both use the same keys and values, and the matrix units stay busy. Copies of the next
  /// keys and values are in flight meanwhile. Products with the previous values may still be in flight at the
  /// barrier.
  KG_DEVICE void run(T* shared, u32* needs_recompute) {
    const Attention<T, T> x = work.operands();
    const AttentionTile<T, T> tile = work.tile(x);
    const KeyRange range = tile.keys;
    const KeyRows<T> k(tile.sequence, x.k, x.shape.k, needs_recompute),
        v(tile.sequence, x.v, x.shape.v, needs_recompute);
    const LogitScale scale(x);
    T* const keys = shared + Tile::QueryLayout::elements;
    T* const values = keys + 2 * KeyLayout::elements;
    if (range.begin >= range.end) return;
    Base::load_queries(shared, x, tile);
    Base::copy(keys, k, range.begin, range.end);
    async_copy_commit();
    Base::copy(values, v, range.begin, range.end);
    if (range.begin + Tile::keys < range.end)
      Base::copy(keys + KeyLayout::elements, k, range.begin + Tile::keys, range.end);
    async_copy_commit();
    async_copy_wait<1>();
    show_copies<Tile::threads>();

    const u32 warpgroup = native::first_lane(thread_index() / 128);
    const u64 queries =
        side_in_shared(shared + warpgroup * 64 * Tile::QueryLayout::row_step, Tile::QueryLayout::panel);
    const bool multiplies_first = warpgroup == 0;
    u32 first = range.begin, stage = 0, value_stage = 0;
    // Waits for the copies in flight and for the other warpgroup, then refills the stages that no product reads any more.
    const auto refill_stages = [&]() KG_INLINE {
      async_copy_wait_all();
      show_copies<Tile::threads>();
      const u32 next = first + Tile::keys;
      if (next < range.end) Base::copy(values + next_stage(value_stage), v, next, range.end);
      if (next + Tile::keys < range.end) Base::copy(keys + stage, k, next + Tile::keys, range.end);
    };
    // A warpgroup without rows only copies.
    if (warpgroup * 64 >= tile.count) {
      for (; first < range.end; first += Tile::keys) {
        refill_stages();
        stage = KeyLayout::elements - stage;
        value_stage = next_stage(value_stage);
      }
      return;
    }

    Logits logits;
    typename Unit::Part weights[Tile::key_tiles];
    start_products();
    this->multiply_keys(logits, queries, keys);
    await_products<0>();
    while (true) {
      if (!multiplies_first) refill_stages();
      hold_sums(logits[0]);
      this->finish(logits, first, range, scale);
      const auto factors = results.raise(logits, scale.factor);
      results.template weigh<Tile::key_tiles>(0, logits[0], scale.factor);
      await_products<0>();
      hold_sums(results.sum[0]);
      results.multiply(factors);
      KG_UNROLL for (u32 i = 0; i < Tile::key_tiles; ++i) weights[i] = Unit::part(logits[0][i]);
      if (multiplies_first) refill_stages();
      if (first + Tile::keys >= range.end) break;
      hold_sums(results.sum[0]);
      start_products();
      this->multiply_keys(logits, queries, keys + KeyLayout::elements - stage);
      this->add_values(weights, values + value_stage);
      await_products<1>();
      first += Tile::keys;
      stage = KeyLayout::elements - stage;
      value_stage = next_stage(value_stage);
    }
    hold_sums(results.sum[0]);
    start_products();
    this->add_values(weights, values + value_stage);
    await_products<0>();
    hold_sums(results.sum[0]);
  }

 private:
  /// The next of the three stages of values.
  static KG_DEVICE u32 next_stage(u32 stage) {
    return stage == 2 * KeyLayout::elements ? 0 : stage + KeyLayout::elements;
  }
};

#endif

}  // namespace kg::detail
