#pragma once
/// Attention by two warpgroups: one multiplies while the other computes weights (Shah et al.,
/// "FlashAttention-3", 2024).
#include "attention/mma_work_gpu.hpp"
#include "device/warpgroup.hpp"

namespace kg::detail {

/// The shape of a block's tile of queries with rows of up to `W` elements.
template <class S, u32 W>
struct WarpgroupTile : TileShape<S, W, attention_warpgroup_threads, attention_warpgroup_keys(W)> {
  using Shape = TileShape<S, W, attention_warpgroup_threads, attention_warpgroup_keys(W)>;
  using QueryLayout = SwizzledLayout<Shape::rows, W>;
  using KeyLayout = SwizzledLayout<Shape::keys, W>;
  static constexpr u32 shared_bytes = (QueryLayout::elements + 5 * KeyLayout::elements) * sizeof(S);
  static_assert(shared_bytes == attention_warpgroup_shared_bytes(W, sizeof(S)),
                "host and kernel disagree on shared memory");

  /// Shared memory after the products: sums, whose lines are padded against bank conflicts, and per-row data.
  struct Results {
    struct Row {
      AttentionState state;
      u64 target;  ///< address of the row's result, or of its partial sums
      f32 share;   ///< factor of its sums
    };
    static constexpr u32 row_step = W + 8;
    f32 sums[Shape::rows * row_step];
    Row rows[Shape::rows];
  };
  static_assert(sizeof(Results) <= shared_bytes, "results take the place of operands");
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
    if (x.has_f32_rows())
      round_queries(shared, tile);
    else if (x.shape.group == 1)
      copy_rows<typename Tile::QueryLayout, Tile::threads, Tile::rows, W>(
          shared, QueryRows<T>(tile.sequence), tile.first_query, tile.first_query + tile.rows_there());
    else
      copy_queries<Tile, typename Tile::QueryLayout>(shared, tile);
    copy(keys, k, range.begin, range.end);
    async_copy_commit();
    copy(values, v, range.begin, range.end);
    if (range.begin + Tile::keys < range.end)
      copy(keys + KeyLayout::elements, k, range.begin + Tile::keys, range.end);
    async_copy_commit();
    async_copy_wait<1>();
    show_copies<Tile::threads>();

    const u32 warpgroup = native::first_lane(thread_index() / 128);
    const u64 queries =
        side_in_shared(shared + warpgroup * 64 * Tile::QueryLayout::row_step, Tile::QueryLayout::panel);
    // If another block shares the multiprocessor, the warpgroups need not alternate with each other.
    const bool multiplies_first = W == 64 || warpgroup == 0;
    u32 first = range.begin, stage = 0, value_stage = 0;
    // Waits for the copies in flight and for the other warpgroup, then refills the stages that no product reads any more.
    const auto refill_stages = [&]() KG_INLINE {
      async_copy_wait_all();
      show_copies<Tile::threads>();
      const u32 next = first + Tile::keys;
      if (next < range.end) copy(values + next_stage(value_stage), v, next, range.end);
      if (next + Tile::keys < range.end) copy(keys + stage, k, next + Tile::keys, range.end);
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
    multiply_keys(logits, queries, keys);
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
      multiply_keys(logits, queries, keys + KeyLayout::elements - stage);
      add_values(weights, values + value_stage);
      await_products<1>();
      first += Tile::keys;
      stage = KeyLayout::elements - stage;
      value_stage = next_stage(value_stage);
    }
    hold_sums(results.sum[0]);
    start_products();
    add_values(weights, values + value_stage);
    await_products<0>();
    hold_sums(results.sum[0]);
  }

  /// Equivalent to store_results(), staged through shared memory. A loop over whole accesses is a twentieth
  /// of the code of each thread's scattered stores, and short calls are bound by instruction fetch.
  KG_DEVICE bool store(const AttentionTile<T, T>& tile, T* shared) const {
    typename Tile::Results& all = *reinterpret_cast<typename Tile::Results*>(shared);
    constexpr u32 W8 = W / 8;
    KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) {
      const u32 r = this->wave_row + Tile::chain_query(c), first = Tile::first_term();
      const AttentionState state = results.state(0, c);
      if (first == 0) all.rows[r].state = state;
      f32* const line = all.sums + r * Tile::Results::row_step + first;
      KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
        KG_UNROLL for (int i = 0; i < Unit::results; i += 2) {
          if (Unit::chain(i) != c) continue;
          Pack<f32, 2> pair;
          KG_UNROLL for (int n = 0; n < 2; ++n) pair.set(n, results.sum[0][p][i + n]);
          store_pack(line + p * 16 + Unit::term(i), pair);
        }
      }
    }
    sync();
    if (thread_index() < tile.count) finish_row(tile, thread_index(), all.rows[thread_index()]);
    sync();
    bool finite = true;
    const u32 width = tile.sequence.all.shape.width;
    const bool as_f32 = tile.sequence.all.shape.splits > 1 || tile.sequence.all.has_f32_rows();
    KG_NO_UNROLL for (u32 i = thread_index(); i < tile.count * W8; i += Tile::threads) {
      const u32 r = i / W8, e = i % W8 * 8;
      if (e >= width) continue;
      const typename Tile::Results::Row row = all.rows[r];
      const auto sums = load_pack<8>(all.sums + r * Tile::Results::row_step + e);
      f32 value[8];
      KG_UNROLL for (int n = 0; n < 8; ++n) {
        value[n] = (row.state.row_sum == 0 ? 0.0f : sums.get(n)) * row.share;
        finite &= value[n] - value[n] == 0;
      }
      if (as_f32) KG_UNROLL for (int n = 0; n < 8; n += 2) {
          const f32 pair[2] = {value[n], value[n + 1]};
          store_part(reinterpret_cast<f32*>(row.target), e + n, pair, width);
        }
      else
        store_part(reinterpret_cast<T*>(row.target), e, value, width);
    }
    return finite;
  }

 private:
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
  /// Computes a row's factor and destination from its state, and stores the state.
  static KG_DEVICE void finish_row(const AttentionTile<T, T>& tile, u32 r, typename Tile::Results::Row& row) {
    const u32 t = tile.query(r);
    const AttentionHead<T, T> head = tile.head(r);
    if (t >= head.queries || row.state.row_sum == 0) row.state = {negative_infinity(), 0};
    if (tile.sequence.all.shape.splits > 1) {
      const PartialRows partials = partial_rows(head.all);
      *partials.state(head.row(t), tile.split) = row.state;
      row.target = reinterpret_cast<u64>(partials.sums(head.row(t), tile.split));
      row.share = 1;
      return;
    }
    row.target = head.all.has_f32_rows() ? reinterpret_cast<u64>(head.f32_result(t))
                                         : reinterpret_cast<u64>(head.result(t));
    row.share = finish_query(head, t, row.state, true);
  }
  /// The next of the three stages of values.
  static KG_DEVICE u32 next_stage(u32 stage) {
    return stage == 2 * KeyLayout::elements ? 0 : stage + KeyLayout::elements;
  }
  static KG_DEVICE void copy(T* to, const KeyRows<T>& rows, u32 first, u32 end) {
    static_assert(Tile::threads / (W / 8) % 8 == 0,
                  "each line of a thread's has its packs in the same order");
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

#endif

}  // namespace kg::detail
