#pragma once
/// Attention by warpgroups over at most attention_few_keys keys, whose logits are all in registers at once: there is one step
/// and no splits. 64 columns of the result are complete after one product and are stored before the next 64 begin, so few
/// registers serve rows of any width, and several blocks share a multiprocessor. That hides latency, which bounds such calls.
#include "attention/mma_warpgroup_gpu.hpp"

namespace kg::detail {

/// A tile of queries, the keys and the values in shared memory, each in panels of 64 columns.
template <class S>
struct FewKeysTile : TileShape<S, 64, attention_warpgroup_threads, attention_few_keys> {
  using Shape = TileShape<S, 64, attention_warpgroup_threads, attention_few_keys>;
  using QueryLayout = SwizzledLayout<Shape::rows, 64>;
  using KeyLayout = SwizzledLayout<Shape::keys, 64>;
  static_assert((QueryLayout::elements + 2 * KeyLayout::elements) * sizeof(S) ==
                    attention_few_keys_shared_bytes(64, sizeof(S)),
                "host and kernel disagree on shared memory");
};

#if KG_WARPGROUPS

/// The work on such a tile: warpgroups multiply by wgmma, and 8 threads copy a line of operands or results.
template <class T>
struct FewKeysWork : WarpgroupResults<T, FewKeysTile<T>> {
  using Base = WarpgroupResults<T, FewKeysTile<T>>;
  using Tile = typename Base::Tile;
  using Unit = typename Base::Unit;
  using Logits = typename Base::Logits;
  using QueryLayout = typename Tile::QueryLayout;
  using KeyLayout = typename Tile::KeyLayout;
  using Base::results;
  using Base::work;
  static constexpr u32 warpgroup_elements = 64 * QueryLayout::row_step;
  using Base::line_threads;
  /// Lines that the block copies at a time.
  static constexpr u32 copied_lines = Tile::threads / line_threads;

  /// Computes and stores the tile. Returns whether all results are finite; if not, they have to be recomputed. `queries` is the
  /// block's shared memory: panels of queries, which the results overwrite; of keys; of values.
  KG_DEVICE bool run(T* queries, u32* needs_recompute) {
    const Attention<T, T> x = work.operands();
    const AttentionTile<T, T> tile = work.tile(x);
    const KeyRange range = tile.keys;
    const u32 panels = (x.shape.width + 63) / 64;
    T* const keys = queries + panels * QueryLayout::panel;
    T* const values = keys + panels * KeyLayout::panel;
    const u32 line = thread_index() / line_threads, e = thread_index() % line_threads * 8;
    const RowAddresses<Tile::rows / copied_lines> rows(tile, {x.q, x.shape.q}, line, copied_lines);
    const u32 rows_there = tile.rows_there();
    KG_UNROLL for (u32 i = 0; i < Tile::rows / copied_lines; ++i) {
      const u32 r = line + i * copied_lines;
      copy_line<QueryLayout>(queries, r, e, x.shape.width, reinterpret_cast<const T*>(rows.of[i]),
                             r < rows_there);
    }
    const auto copy_keys = [&](T* to, const KeyRows<T>& rows) KG_INLINE {
      KG_UNROLL for (u32 j = line; j < Tile::keys + line; j += copied_lines) {
        const T* const row = rows.row(range.begin + j, range.end);
        copy_line<KeyLayout>(to, j, e, x.shape.width, row, row != nullptr);
      }
    };
    copy_keys(keys, KeyRows<T>(tile.sequence, x.k, x.shape.k, needs_recompute));
    async_copy_commit();
    copy_keys(values, KeyRows<T>(tile.sequence, x.v, x.shape.v, needs_recompute));
    async_copy_commit();
    async_copy_wait<1>();
    show_copies<Tile::threads>();

    const u32 warpgroup = native::first_lane(thread_index() / 128);
    const bool has_rows = warpgroup * 64 < tile.count;
    typename Unit::Part weights[Tile::key_tiles] = {};
    if (has_rows && range.begin < range.end) {
      Logits logits;
      multiply_keys(logits, queries + warpgroup * warpgroup_elements, keys, panels);
      const LogitScale scale(x);
      this->finish(logits, range.begin, range, scale);
      results.raise(logits, scale.factor);
      results.template weigh<Tile::key_tiles>(0, logits[0], scale.factor);
      KG_UNROLL for (u32 i = 0; i < Tile::key_tiles; ++i) weights[i] = Unit::part(logits[0][i]);
    }
    async_copy_wait_all();
    show_copies<Tile::threads>();  // also: no product reads the queries any longer
    return !has_rows || store(tile, weights, values, queries);
  }

 private:
  /// Multiplies the weights by the values, and stores the results by way of `staged`, which has a panel for each
  /// 64 columns.
  KG_DEVICE bool store(const AttentionTile<T, T>& tile, const typename Unit::Part (&weights)[Tile::key_tiles],
                       const T* values, T* staged) {
    f32 share[Unit::chained];
    KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) share[c] = this->share_of_row(tile, c);
    const typename Base::ResultRows rows = this->result_rows(tile);
    f32 checked = 0;
    KG_NO_UNROLL for (u32 first = 0; first < tile.sequence.all.shape.width; first += 64) {
      hold_sums(results.sum[0]);
      start_products();
      const u64 side = side_in_shared(values + first / 64 * KeyLayout::panel, KeyLayout::panel);
      KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) WarpgroupUnit<T, 64>::multiply(
          results.sum[0], weights[k], side_at(side, k * 16 * KeyLayout::row_step), k > 0);
      end_products();
      await_products<0>();
      hold_sums(results.sum[0]);
      this->template store_panel<T>(tile, rows, first, results.sum[0], share,
                                    staged + first / 64 * QueryLayout::panel, checked);
    }
    return checked == 0;
  }

  /// Copies the packs at e, e + 64, ... of a row of `width` elements into line `line` of each panel; zeros if it is not `there` and
  /// from `width` on.
  template <class Layout>
  static KG_DEVICE void copy_line(T* to, u32 line, u32 e, u32 width, const T* from, bool there) {
    T* target = to + Layout::offset(line, e);
    KG_NO_UNROLL for (u32 at = e; at < width + e; at += 64, target += Layout::panel)
        async_copy(target, from + at, there && at < width);
  }

  static KG_DEVICE void multiply_keys(Logits& logits, const T* queries, const T* keys, u32 panels) {
    KG_UNROLL for (auto& sum : logits[0]) sum = {};
    hold_sums(logits[0]);
    start_products();
    KG_NO_UNROLL for (u32 panel = 0; panel < panels; ++panel) {
      const u64 left = side_in_shared(queries + panel * QueryLayout::panel, QueryLayout::panel);
      const u64 right = side_in_shared(keys + panel * KeyLayout::panel, KeyLayout::panel);
      KG_UNROLL for (u32 e = 0; e < 64; e += 16)
          WarpgroupUnit<T, Tile::keys>::multiply(logits[0], side_at(left, e), side_at(right, e), true);
    }
    end_products();
    await_products<0>();
    hold_sums(logits[0]);
  }
};

/// The work of the w64 kernel: WarpgroupWork for rows of up to 64 elements, FewKeysWork for any rows over few keys.
template <class T>
struct W64Work : WarpgroupWork<T, 64> {
  using Base = WarpgroupWork<T, 64>;

  KG_DEVICE void run(T* shared, u32* needs_recompute) {
    if (!has_few_keys())
      Base::run(shared, needs_recompute);
    else if (!FewKeysWork<T>{{this->work}}.run(shared, needs_recompute))
      *needs_recompute = 1;
  }
  KG_DEVICE bool store(const AttentionTile<T, T>& tile, T* shared) {
    return has_few_keys() || Base::store(tile, shared);
  }

 private:
  KG_DEVICE bool has_few_keys() const { return attention_has_few_keys(this->work.given.shape); }
};

#endif

}  // namespace kg::detail
