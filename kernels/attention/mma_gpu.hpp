#pragma once
/// Attention by matrix instructions, in tiles of queries.
#include "attention/mma_rows64_gpu.hpp"
#include "attention/mma_warpgroup_gpu.hpp"
#include "attention/mma_work_gpu.hpp"
#include "attention/wave_gpu.hpp"

namespace kg::detail {

/// Selects panels filled by asynchronous copies or through registers.
template <bool by_async_copy, class K, class S, u32 threads, u32 keys, u32 width>
struct AttentionPanels {
  using Keys = CopiedPanel<K, S, threads, keys, width>;
  using Values = Keys;
};
template <class K, class S, u32 threads, u32 keys, u32 width>
struct AttentionPanels<false, K, S, threads, keys, width> {
  using Keys = RegisterPanel<K, S, keys, width, false>;
  using Values = RegisterPanel<K, S, keys, width, true>;
};

/// Whether the target has matrix instructions for S, and rows of W results fit the registers of its waves.
template <class S, u32 W>
inline constexpr bool has_attention_tile = [] {
  if constexpr (ExactUnit<S>::exists)
    return ExactUnit<S>::chains_left || W * sizeof(S) <= ExactUnit<S>::lanes * 8;
  return false;
}();

/// The shape of a tile that waves multiply.
template <class S, u32 W, class Scaling>
using WaveTileShape = TileShape<S, W, attention_mma_threads(W, sizeof(S), ExactUnit<S>::chains_left),
                                attention_mma_keys(W, sizeof(S),
                                                   ExactUnit<S>::chains_left ? attention_cuda_panel_bytes
                                                                             : ExactUnit<S>::lanes * 128),
                                Scaling>;

template <class S, u32 W, class Scaling>
struct AttentionMma : WaveTileShape<S, W, Scaling> {
  using Unit = ExactUnit<S>;
  using WaveTileShape<S, W, Scaling>::rows;
  using WaveTileShape<S, W, Scaling>::keys;
  using WaveTileShape<S, W, Scaling>::threads;

  using QueryLayout = PanelLayout<S, rows, W, true>;
  using KeyLayout = PanelLayout<S, keys, W, true>;
  /// Values keep their layout if the unit transposes; otherwise lines are of contiguous keys.
  using ValueLayout = PanelLayout<S, W, keys, !Unit::transposes>;
  template <class K>
  using Panels = AttentionPanels<Unit::chains_left, K, S, threads, keys, W>;

  static constexpr u32 query_elements = Unit::chains_left ? QueryLayout::elements : 0;
  static constexpr u32 shared_bytes =
      (query_elements + KeyLayout::elements + ValueLayout::elements) * sizeof(S);
  static_assert(!Unit::chains_left || shared_bytes == attention_shared_bytes(W, sizeof(S)),
                "host and kernel disagree on shared memory");

  /// Loads keys or values, the other operand of products with queries or weights.
  template <class Layout>
  static KG_DEVICE typename Unit::Side key_or_value_operand(const S* tile) {
    if constexpr (Unit::chains_left)
      return Unit::template right<Layout>(tile);
    else
      return Unit::template left<Layout>(tile);
  }
  /// Multiplies queries or weights by that operand, which is the left one on units that chain right operands.
  template <class Side>
  static KG_DEVICE typename Unit::Sum multiply(const Side& queries, const Side& other,
                                               const typename Unit::Sum& sum) {
    return Unit::chains_left ? Unit::multiply(queries, other, sum) : Unit::multiply(other, queries, sum);
  }
};

/// Queries as left operands, loaded from shared memory.
template <class Tile, class S>
struct SharedQueries {
  using Unit = typename Tile::Unit;
  const S* wave;

  template <class T, class K>
  KG_DEVICE SharedQueries(S* to, u32 wave_row, const AttentionTile<T, K>& tile, Unscaled&)
      : wave(to + wave_row * Tile::QueryLayout::row_step) {
    copy_queries<Tile, typename Tile::QueryLayout>(to, tile);
  }
  KG_DEVICE typename Unit::Side side(u32 q, u32 p) const {
    return Unit::template left<typename Tile::QueryLayout>(wave + q * 16 * Tile::QueryLayout::row_step +
                                                           p * 16);
  }
};

/// Queries as right operands, kept in registers.
template <class Tile, class S>
struct RegisterQueries {
  using Unit = typename Tile::Unit;
  typename Unit::Side sides[Tile::queries][Tile::parts];

  template <class T, class K>
  KG_DEVICE RegisterQueries(S*, u32 wave_row, const AttentionTile<T, K>& tile,
                            typename Tile::Scaling& scaling) {
    const u32 width = tile.sequence.all.shape.width;
    KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
      const auto* row = query_row(tile, wave_row + q * 16 + Tile::query(0));
      const u32 first = Tile::first_term();
      KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
        auto pack = to_multiplied<S>(terms(row, first + p * 16, width));
        KG_UNROLL for (auto& word : pack.word) word = scaling.take(word);
        sides[q][p] = Unit::side(bit_cast<typename Unit::Part>(pack));
        sched_barrier();
      }
    }
  }
  KG_DEVICE typename Unit::Side side(u32 q, u32 p) const { return sides[q][p]; }

 private:
  /// A lane's terms of a row's sixteen elements from `first` on; zeros for a missing row.
  template <class T>
  static KG_DEVICE Pack<T, Unit::results> terms(const T* row, u32 first, u32 width) {
    if constexpr (Unit::neighbours == Unit::results) return load_part<Unit::results>(row, first, width);
    Pack<T, Unit::results> all{};
    KG_UNROLL for (int i = 0; i < Unit::results; ++i) {
      if (row && first + Unit::term(i) < width) all.set(i, row[first + Unit::term(i)]);
    }
    return all;
  }
};

template <class Tile, class S, bool shared = Tile::Unit::chains_left>
struct TileQueries {
  using type = SharedQueries<Tile, S>;
};
template <class Tile, class S>
struct TileQueries<Tile, S, false> {
  using type = RegisterQueries<Tile, S>;
};

/// A block's work on one tile, by waves that multiply elements as S.
template <class T, class K, class S, u32 W, class Scaling = Unscaled>
struct WaveTileWork : TileWork<T, K, AttentionMma<S, W, Scaling>> {
  using Base = TileWork<T, K, AttentionMma<S, W, Scaling>>;
  using Tile = typename Base::Tile;
  using Unit = typename Base::Unit;
  using Sum = typename Base::Sum;
  using Logits = typename Base::Logits;
  using Panels = typename Tile::template Panels<K>;
  using Base::results;
  using Base::work;

  KG_DEVICE void run(S* shared, u32* needs_recompute) {
    Scaling scaling;
    const Attention<T, K> x = work.operands();
    const AttentionTile<T, K> tile = work.tile(x);
    const typename TileQueries<Tile, S>::type queries(shared, this->wave_row, tile, scaling);
    S* const keys = shared + Tile::query_elements;
    S* const values = keys + Tile::KeyLayout::elements;
    const KeyRange range = tile.keys;
    const KeyRows<K> k(tile.sequence, x.k, x.shape.k, needs_recompute),
        v(tile.sequence, x.v, x.shape.v, needs_recompute);
    const LogitScale scale(x, Base::logit_unscale);
    const Uniform parts((x.shape.width + 15) / 16);
    typename Panels::Keys key_panel(keys, k);
    typename Panels::Values value_panel(values, v);
    key_panel.fetch(k, range.begin, range.end);
    const u32 end = uniform(range.end), all_see_begin = uniform(range.all_see_begin),
              unmasked = uniform(unmasked_end(key_panel, value_panel, range, scale));
    u32 first = uniform(range.begin);
    while (first < end) {
      if constexpr (Panels::Keys::fetches_whole) {
        for (; first >= all_see_begin && first < unmasked; first += Tile::keys) {
          key_panel.commit(k, scaling);
          sync();
          value_panel.fetch_whole(v, first);
          Logits logits;
          multiply_keys<true>(logits, queries, keys, parts);
          value_panel.commit(v, scaling);
          sync();
          key_panel.fetch_whole(k, first + Tile::keys);
          results.multiply(results.raise(logits, scale.factor));
          add_values<true>(logits, scale.factor, values, parts);
        }
      }
      key_panel.commit(k, scaling);
      sync();
      value_panel.fetch(v, first, range.end);
      Logits logits;
      multiply_keys<false>(logits, queries, keys, parts);
      value_panel.commit(v, scaling);
      sync();
      if (first + Tile::keys < end) key_panel.fetch(k, first + Tile::keys, range.end);
      this->finish(logits, first, range, scale);
      results.multiply(results.raise(logits, scale.factor));
      add_values<false>(logits, scale.factor, values, parts);
      first += Tile::keys;
    }
    async_copy_wait_all();  // the queries' copies, if there were no keys
    if (scaling.needs_fallback()) *needs_recompute = 1;
  }

  KG_DEVICE bool store(const AttentionTile<T, K>& tile, S*) const { return store_results(*this, tile); }

 private:
  /// A block-uniform value; moved to a scalar register on targets that have them.
  static KG_DEVICE u32 uniform(u32 x) { return native::args_in_lds ? native::first_lane(x) : x; }
  /// One past the last start of a key block that all rows see entirely and that is followed by another full
  /// block; 0 if products need finishing or panels are not whole. Most key blocks start before it and need no
  /// checks.
  static KG_DEVICE u32 unmasked_end(const typename Panels::Keys& key_panel,
                                    const typename Panels::Values& value_panel, const KeyRange& range,
                                    const LogitScale& scale) {
    constexpr u32 keys = Tile::keys;
    if (!key_panel.is_whole() || !value_panel.is_whole() || !scale.plain) return 0;
    if (range.all_see_end < keys || range.end < 2 * keys) return 0;
    const u32 all_see = range.all_see_end - keys + 1, followed = range.end - 2 * keys + 1;
    return all_see < followed ? all_see : followed;
  }
  /// Whether rows of `parts` sixteens include sixteen p. More than half of the tile's width is always used.
  static KG_DEVICE bool has(u32 parts, u32 p) { return 2 * p < Tile::parts || p < parts; }

  template <bool whole, class Queries>
  KG_DEVICE void multiply_keys(Logits& logits, const Queries& queries, const S* keys, u32 parts) const {
    KG_UNROLL for (auto& of_query : logits) { KG_UNROLL for (Sum& sum : of_query) sum = {}; }
    using Layout = typename Tile::KeyLayout;
    KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
      if (!whole && !has(parts, p)) continue;
      typename Unit::Side query[Tile::queries];
      KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) query[q] = queries.side(q, p);
      KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) {
        const auto key =
            Tile::template key_or_value_operand<Layout>(keys + k * 16 * Layout::row_step + p * 16);
        KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) logits[q][k] =
            Tile::multiply(query[q], key, logits[q][k]);
      }
      sched_barrier();
    }
  }

  template <bool whole>
  KG_DEVICE void add_values(Logits& logits, f32 scale, const S* values, u32 parts) {
    using Layout = typename Tile::ValueLayout;
    KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) {
      typename Unit::Side weight[Tile::queries];
      KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
        results.template weigh<1>(q, &logits[q][k], scale);
        weight[q] = Unit::side(Unit::part(logits[q][k]));
      }
      KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
        if (!whole && !has(parts, p)) continue;
        const auto value = Tile::template key_or_value_operand<Layout>(values + p * 16 * Layout::row_step +
                                                                       k * 16 * Layout::term_step);
        KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) results.sum[q][p] =
            Tile::multiply(weight[q], value, results.sum[q][p]);
        if (p % 2 == 1) sched_barrier();
      }
    }
  }
};

/// Whether all operands consist of whole, aligned 16-byte accesses; other operands go to other kernels.
template <class T, class K>
KG_DEVICE bool is_packed(const Attention<T, K>& x) {
  const AttentionShape& shape = x.shape;
  return is_packed(x.q, shape.q, shape.width) && is_packed(x.k, shape.k, shape.width) &&
         is_packed(x.v, shape.v, shape.width) && is_packed(x.y, shape.y, shape.width);
}

/// Whether the target has warpgroup instructions for these types. Only kernels with them take q and results in f32 with 16-bit
/// keys (AttentionShape::f32_rows).
template <class T, class K>
inline constexpr bool is_by_warpgroups = same<T, K> && has_warpgroups<T>;

/// How a block computes a tile of `rows` rows of up to W elements.
template <class T, class K, u32 W, u32 rows, bool by_warpgroups = is_by_warpgroups<T, K>>
struct TileWorkOf {
  using type = WaveTileWork<T, K, multiplied<T>, W>;
};
#if KG_WARPGROUPS
template <class T>
struct TileWorkOf<T, T, attention_widest, attention_mma_rows, true> {
  using type = WarpgroupWork<T>;
};
template <class T, u32 W>
struct TileWorkOf<T, T, W, attention_rows64, true> {
  using type = Rows64Work<T, W>;
};
#endif

/// Bytes of shared memory of the largest of several kinds of tile.
template <class Work, class... Others>
constexpr u32 attention_tile_bytes() {
  if constexpr (sizeof...(Others) == 0)
    return Work::Tile::shared_bytes;
  else
    return attention_tile_bytes<Others...>() > Work::Tile::shared_bytes ? attention_tile_bytes<Others...>()
                                                                        : Work::Tile::shared_bytes;
}

/// Computes the item by each kind of tile in turn, until one is exact. Leaves `needs_recompute` set if none is. A tile may be
/// inexact if a result is not finite (values of keys that a query does not see are multiplied by 0, which gives NaN for
/// infinities), if a page is outside the cache (its keys are read as zeros), or if elements are out of the unit's range
/// (ScaledMfma).
template <class Work, class... Others, class Item>
KG_DEVICE void attend_tile(const Item& item, unsigned char* shared, u32& needs_recompute) {
  sync();  // before any thread sets `needs_recompute`

  auto* const panels = reinterpret_cast<typename Work::Tile::Element*>(shared);
  Work work{{item}};
  work.run(panels, &needs_recompute);
  item.with_reloaded_tile([&](const auto& tile) KG_INLINE {
    if (!work.store(tile, panels)) needs_recompute = 1;
  });
  sync();
  if constexpr (sizeof...(Others) != 0) {
    if (needs_recompute == 0) return;
    sync();
    if (thread_index() == 0) needs_recompute = 0;
    attend_tile<Others...>(item, shared, needs_recompute);
  }
}

/// Processes all work items. attend_by_waves() recomputes those whose tiles may be inexact, and computes all of them if the block
/// does not have the tile's number of threads or the operands are not packed.
template <class Work, class... Others, class T, class K>
KG_DEVICE void attend_tiles(const Attention<T, K>& given) {
  using Tile = typename Work::Tile;
  constexpr u32 shared_bytes = attention_tile_bytes<Work, Others...>();
  KG_SHARED_BLOCK(shared, shared_bytes);
  KG_SHARED ArgsInLds<Attention<T, K>> shared_args;
  KG_SHARED ArgsInLds<AttentionTileData> tile_args;
  KG_SHARED u32 needs_recompute;
  store_args(shared_args, given);
  const Uniform step = grid_size();
  for (Uniform index = block_index();; index = index + step) {
    const AttentionItemWork<T, K, Tile::rows> work{shared_args, given, tile_args, index};
    {
      const Attention<T, K> x = work.operands();
      if (index >= x.shape.tiles.count) return;
      if (optimization_barrier(thread_index()) == 0) {
        needs_recompute = uniform_optimization_barrier(block_size()) != Tile::threads || !is_packed(x);
        work.store_tile_args(x);
      }
    }
    sync();
    if (needs_recompute == 0) attend_tile<Work, Others...>(work, shared, needs_recompute);
    if (needs_recompute != 0) {
      sync();
      const Attention<T, K> x = load_args_per_thread(shared_args, given);
      attend_by_waves<is_by_warpgroups<T, K>>(work.tile(x));
    }
  }
}

}  // namespace kg::detail

namespace kg {

/// For tiles of `rows` rows of up to `widest` elements. Tries the scaled 16-bit unit before the exact one where there are both
/// (gfx90a). Without a unit for such tiles, every row is computed by one wave.
template <u32 widest, u32 rows = attention_mma_rows, class T, class K>
KG_DEVICE void attention_mma(const Attention<T, K>& x) {
  using namespace detail;
  using Exact = TileWorkOf<T, K, widest, rows>;
  using Scaled = WaveTileWork<T, K, T, widest, ScaledMfma<T>>;
  constexpr bool has_tile = (is_by_warpgroups<T, K> ? rows == attention_rows64 || widest == attention_widest
                                                    : rows == attention_mma_rows) &&
                            has_attention_tile<multiplied<T>, widest>;
  if constexpr (ScaledMfma<T>::exists && has_tile) {
    attend_tiles<Scaled, typename Exact::type>(x);
  } else if constexpr (has_tile) {
    attend_tiles<typename Exact::type>(x);
  } else {
    KG_SHARED ArgsInLds<Attention<T, K>> shared_args;
    store_args(shared_args, x);
    const Uniform step = grid_size();
    for (Uniform index = block_index();; index = index + step) {
      const Attention<T, K> operands = load_args_per_thread(shared_args, x);
      if (index >= operands.shape.tiles.count) return;
      attend_by_waves<false>(AttentionTile<T, K>(operands, rows, index));
    }
  }
}

}  // namespace kg
