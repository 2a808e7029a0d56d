#pragma once
/// Attention by matrix instructions, in tiles of queries.
#include "engines/attention_tile_work_gpu.hpp"
#include "engines/attention_warpgroup_gpu.hpp"
#include "engines/attention_wave_gpu.hpp"

#undef KG_BOUNDS
#define KG_BOUNDS KG_BOUNDS_OF_TWO_WAVES

namespace kg::detail {

/// Whether by way of registers or past them: whatever the unit's loads want.
template <bool past_registers, class K, class S, u32 threads, u32 keys, u32 width>
struct AttentionPanels {
  using Keys = CopiedPanel<K, S, threads, keys, width>;
  using Values = Keys;
};
template <class K, class S, u32 threads, u32 keys, u32 width>
struct AttentionPanels<false, K, S, threads, keys, width> {
  using Keys = HeldPanel<K, S, keys, width, false>;
  using Values = HeldPanel<K, S, keys, width, true>;
};

/// Whether results of `W` elements fit the registers of the target's waves.
template <class S, u32 W>
inline constexpr bool has_attention_tile = [] {
  if constexpr (ExactUnit<S>::exists)
    return ExactUnit<S>::chains_left || W * sizeof(S) <= ExactUnit<S>::lanes * 8;
  return false;
}();

/// How such a tile is cut for waves that multiply by themselves.
template <class S, u32 W>
using WaveTileShape = TileShape<S, W, attention_tile_threads(W, sizeof(S), ExactUnit<S>::chains_left),
                                attention_tile_keys(W, sizeof(S),
                                                    ExactUnit<S>::chains_left ? attention_cuda_panel_bytes
                                                                              : ExactUnit<S>::lanes * 128)>;

template <class S, u32 W>
struct AttentionTile : WaveTileShape<S, W> {
  using Unit = ExactUnit<S>;
  using WaveTileShape<S, W>::rows;
  using WaveTileShape<S, W>::keys;
  using WaveTileShape<S, W>::threads;

  using QueryLayout = PanelLayout<S, rows, W, true>;
  using KeyLayout = PanelLayout<S, keys, W, true>;
  /// Values as they come where the unit transposes, else in lines of neighbouring keys.
  using ValueLayout = PanelLayout<S, W, keys, !Unit::transposes>;
  template <class K>
  using Panels = AttentionPanels<Unit::chains_left, K, S, threads, keys, W>;

  static constexpr u32 query_elements = Unit::chains_left ? QueryLayout::elements : 0;
  static constexpr u32 shared_bytes =
      (query_elements + KeyLayout::elements + ValueLayout::elements) * sizeof(S);
  static_assert(!Unit::chains_left || shared_bytes == attention_shared_bytes(W, sizeof(S)),
                "the launch gives what the tile takes");

  /// The side that queries are multiplied with.
  template <class Layout>
  static KG_DEVICE typename Unit::Side others(const S* tile) {
    if constexpr (Unit::chains_left)
      return Unit::template right<Layout>(tile);
    else
      return Unit::template left<Layout>(tile);
  }
  /// Products of queries with that.
  template <class Side>
  static KG_DEVICE typename Unit::Sum multiply(const Side& queries, const Side& others,
                                               const typename Unit::Sum& sum) {
    return Unit::chains_left ? Unit::multiply(queries, others, sum) : Unit::multiply(others, queries, sum);
  }
};

/// Where a unit takes queries from as left sides: shared memory.
template <class Tile, class S>
struct SharedQueries {
  using Unit = typename Tile::Unit;
  const S* wave;

  template <class Part>
  KG_DEVICE SharedQueries(S* to, u32 wave_row, const Part& part)
      : wave(to + wave_row * Tile::QueryLayout::row_step) {
    copy_queries<Tile, typename Tile::QueryLayout>(to, part);
  }
  KG_DEVICE typename Unit::Side side(u32 q, u32 part) const {
    return Unit::template left<typename Tile::QueryLayout>(wave + q * 16 * Tile::QueryLayout::row_step +
                                                           part * 16);
  }
};

/// As right sides: the lanes' registers.
template <class Tile, class S>
struct HeldQueries {
  using Unit = typename Tile::Unit;
  typename Unit::Side sides[Tile::queries][Tile::parts];

  template <class Part>
  KG_DEVICE HeldQueries(S*, u32 wave_row, const Part& of) {
    const u32 width = of.sequence.all.shape.width;
    KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
      const auto* row = query_row(of, wave_row + q * 16 + Tile::query(0));
      const u32 first = Tile::first_term();
      KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
        typename Unit::Sum widened{};
        KG_UNROLL for (int i = 0; i < Unit::results; ++i) {
          const u32 e = first + p * 16 + Unit::term(i);
          widened[i] = row && e < width ? widen(row[e]) : 0.0f;
        }
        sides[q][p] = Unit::side(Unit::part(widened));
        separate();
      }
    }
  }
  KG_DEVICE typename Unit::Side side(u32 q, u32 p) const { return sides[q][p]; }
};

template <class Tile, class S, bool shared = Tile::Unit::chains_left>
struct TileQueries {
  using type = SharedQueries<Tile, S>;
};
template <class Tile, class S>
struct TileQueries<Tile, S, false> {
  using type = HeldQueries<Tile, S>;
};

/// A block's work on one part by waves.
template <class T, class K, u32 W>
struct WaveTileWork : TileWork<T, K, AttentionTile<multiplied<T>, W>> {
  using Base = TileWork<T, K, AttentionTile<multiplied<T>, W>>;
  using S = multiplied<T>;
  using Tile = typename Base::Tile;
  using Unit = typename Base::Unit;
  using Sum = typename Base::Sum;
  using Logits = typename Base::Logits;
  using Panels = typename Tile::template Panels<K>;
  using Base::results;
  using Base::work;

  KG_DEVICE void run(S* shared, u32* spoilt) {
    const Attention<T, K> x = work.operands();
    const AttentionPart<T, K> part = work.part(x);
    const typename TileQueries<Tile, S>::type queries(shared, this->wave_row, part);
    S* const keys = shared + Tile::query_elements;
    S* const values = keys + Tile::KeyLayout::elements;
    const KeyRange range = part.keys;
    const KeyRows<K> k(part.sequence, x.k, x.shape.k, spoilt), v(part.sequence, x.v, x.shape.v, spoilt);
    const LogitScale scale(x);
    const Everyones parts((x.shape.width + 15) / 16);
    typename Panels::Keys key_panel(keys, k);
    typename Panels::Values value_panel(values, v);
    key_panel.fetch(k, range.begin, range.end);
    const u32 end = everyones(range.end), seen_begin = everyones(range.seen_begin),
              quick_end = everyones(quick(key_panel, value_panel, range, scale));
    u32 first = everyones(range.begin);
    while (first < end) {
      if constexpr (Panels::Keys::fetches_whole) {
        for (; first >= seen_begin && first < quick_end; first += Tile::keys) {
          key_panel.place(k);
          sync();
          value_panel.fetch_whole(v, first);
          Logits logits;
          multiply_keys<true>(logits, queries, keys, parts);
          value_panel.place(v);
          sync();
          key_panel.fetch_whole(k, first + Tile::keys);
          results.multiply(results.raise(logits, scale.factor));
          add_values<true>(logits, scale.factor, values, parts);
        }
      }
      key_panel.place(k);
      sync();
      value_panel.fetch(v, first, range.end);
      Logits logits;
      multiply_keys<false>(logits, queries, keys, parts);
      value_panel.place(v);
      sync();
      if (first + Tile::keys < end) key_panel.fetch(k, first + Tile::keys, range.end);
      this->finish(logits, first, range, scale);
      results.multiply(results.raise(logits, scale.factor));
      add_values<false>(logits, scale.factor, values, parts);
      first += Tile::keys;
    }
    await_copies();  // of queries, where there were no keys
  }

  KG_DEVICE bool store(const AttentionPart<T, K>& part, S*) const { return store_results(*this, part); }

 private:
  /// A number that all threads of the block have, where there are scalar registers in one of those.
  static KG_DEVICE u32 everyones(u32 x) { return native::arguments_are_parked ? native::first_lane(x) : x; }
  /// Behind where the last keys begin that all rows see and that have as many behind them; 0 where products are no logits
  /// yet, or panels not whole. Most keys are before that, and nothing is asked of them.
  static KG_DEVICE u32 quick(const typename Panels::Keys& key_panel,
                             const typename Panels::Values& value_panel, const KeyRange& range,
                             const LogitScale& scale) {
    constexpr u32 keys = Tile::keys;
    if (!key_panel.is_whole() || !value_panel.is_whole() || !scale.plain) return 0;
    if (range.seen_end < keys || range.end < 2 * keys) return 0;
    const u32 seen = range.seen_end - keys + 1, followed = range.end - 2 * keys + 1;
    return seen < followed ? seen : followed;
  }
  /// Whether rows of that many sixteens have sixteen p: more than half of those that the tile is for are there.
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
        const auto key = Tile::template others<Layout>(keys + k * 16 * Layout::row_step + p * 16);
        KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) logits[q][k] =
            Tile::multiply(query[q], key, logits[q][k]);
      }
      separate();
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
        const auto value =
            Tile::template others<Layout>(values + p * 16 * Layout::row_step + k * 16 * Layout::term_step);
        KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) results.sum[q][p] =
            Tile::multiply(weight[q], value, results.sum[q][p]);
        if (p % 2 == 1) separate();
      }
    }
  }
};

/// Whether all operands are moved in whole packs: what is not is left to other engines.
template <class T, class K>
KG_DEVICE bool has_whole_packs(const Attention<T, K>& x) {
  const AttentionShape& shape = x.shape;
  return has_whole_packs(x.q, shape.q, shape.width) && has_whole_packs(x.k, shape.k, shape.width) &&
         has_whole_packs(x.v, shape.v, shape.width) && has_whole_packs(x.y, shape.y, shape.width);
}

/// By warpgroups where there are some that take the operands as they are.
template <class T, class K, u32 W, bool by_warpgroups = same<T, K> && has_warpgroups<T>>
struct TileWorkOf {
  using type = WaveTileWork<T, K, W>;
};
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
template <class T, u32 W>
struct TileWorkOf<T, T, W, true> {
  using type = WarpgroupWork<T, W>;
};
#endif

template <class Work, class T, class K>
KG_DEVICE void attend_tiles(const Attention<T, K>& given) {
  using Tile = typename Work::Tile;
  KG_SHARED_BLOCK(shared, Tile::shared_bytes);
  KG_SHARED Parked<Attention<T, K>> place;
  KG_SHARED Parked<AttentionPartNumbers> noted;
  KG_SHARED u32 spoilt;
  park(place, given);
  const Everyones step = grid_size();
  for (WideEveryones index = block_index();; index = index + step) {
    const AttentionWork<T, K, TileRows> work{place, given, noted, {}, index};
    {
      const Attention<T, K> x = work.operands();
      if (index >= attention_pieces(x.shape, Tile::rows)) return;
      if (known_from_here(thread_index()) == 0) {
        spoilt = worked_out_again(block_size()) != Tile::threads || !has_whole_packs(x);
        work.note(x);
      }
    }
    sync();
    if (spoilt == 0) {
      sync();  // before one finds something spoilt

      Work tile{{work}};
      tile.run(reinterpret_cast<multiplied<T>*>(shared), &spoilt);
      work.take([&](const auto& part) KG_INLINE {
        if (!tile.store(part, reinterpret_cast<multiplied<T>*>(shared))) spoilt = 1;
      });
      sync();
    }
    // What a query does not see was multiplied by 0, which is no matter unless it is infinite or not a number; a page
    // outside the cache was taken for zeros.
    if (spoilt != 0) {
      sync();
      const Attention<T, K> x = unpark_for_thread(place, given);
      attend_by_waves(work.part(x));
    }
  }
}

}  // namespace kg::detail

namespace kg {

template <u32 widest, class T, class K>
KG_DEVICE void attention_tile(const Attention<T, K>& x) {
  if constexpr (detail::has_attention_tile<multiplied<T>, widest>) {
    detail::attend_tiles<typename detail::TileWorkOf<T, K, widest>::type>(x);
  } else {
    KG_SHARED Parked<Attention<T, K>> place;
    park(place, x);
    const Everyones step = grid_size();
    for (WideEveryones index = block_index();; index = index + step) {
      const Attention<T, K> operands = unpark_for_thread(place, x);
      if (index >= attention_pieces(operands.shape, attention_tile_rows)) return;
      detail::attend_by_waves(detail::AttentionPart<T, K>(operands, attention_tile_rows, index));
    }
  }
}

}  // namespace kg
