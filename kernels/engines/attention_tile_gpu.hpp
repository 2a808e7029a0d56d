#pragma once
/// Attention by matrix instructions: a wave keeps the results of its queries in registers while the block's keys and values
/// go by in shared memory, and softmax's maximum and sum are brought up to date on the way (Milakov and Gimelshein, "Online
/// normalizer calculation for softmax", 2018; Dao, "FlashAttention-2", 2023).
#include "engines/attention_panel_gpu.hpp"
#include "engines/attention_part.hpp"
#include "engines/attention_wave_gpu.hpp"

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
  if constexpr (MatrixUnit<S>::exists)
    return MatrixUnit<S>::chains_left || W * sizeof(S) <= MatrixUnit<S>::lanes * 8;
  return false;
}();

/// How a tile of queries with rows of up to `W` elements is cut.
template <class S, u32 W>
struct AttentionTile {
  using Unit = MatrixUnit<S>;
  static constexpr u32 threads = attention_tile_threads(W, Unit::chains_left);
  static constexpr u32 keys =
      attention_tile_keys(W, sizeof(S), Unit::chains_left ? attention_cuda_panel_bytes : Unit::lanes * 128);
  static constexpr u32 rows = attention_tile_rows, wave_rows = rows / (threads / Unit::lanes);
  /// Sixteens of a wave's queries, of the keys, and of a row's elements.
  static constexpr u32 queries = wave_rows / 16, key_tiles = keys / 16, parts = W / 16;

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

  /// Of sum i, counted from the first of its sixteen.
  static KG_DEVICE u32 query(int i) { return Unit::chains_left ? Unit::row(i) : Unit::column(i); }
  /// Key, or element of a row of values, of sum 0; those of sum i are Unit::term(i) further.
  static KG_DEVICE u32 first_term() {
    return known_from_here(Unit::chains_left ? Unit::column(0) : Unit::row(0));
  }
  /// The query of the sums of chain c.
  static KG_DEVICE u32 chain_query(u32 c) {
    u32 of_chain = 0;
    KG_UNROLL for (int i = Unit::results - 1; i >= 0; --i) if (Unit::chain(i) == c) of_chain = query(i);
    return of_chain;
  }

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

/// Row r of q; null where the sequence has none.
template <class T, class K>
KG_DEVICE const T* query_row(const AttentionPart<T, K>& part, u32 r) {
  const u32 t = part.query(r);
  return r < part.count && t < part.sequence.queries ? part.head(r).query(t) : nullptr;
}

/// Where a unit takes queries from as left sides: shared memory.
template <class Tile, class S>
struct SharedQueries {
  using Unit = typename Tile::Unit;
  const S* wave;

  template <class Part>
  KG_DEVICE SharedQueries(S* to, u32 wave_row, const Part& part)
      : wave(to + wave_row * Tile::QueryLayout::row_step) {
    const AttentionShape& shape = part.sequence.all.shape;
    constexpr u32 pack = 16 / sizeof(S), packs = Tile::parts * 16 / pack;
    const u32 e = thread_index() % packs * pack;
    KG_NO_UNROLL for (u32 r = thread_index() / packs; r < Tile::rows; r += Tile::threads / packs) {
      S* const target = to + r * Tile::QueryLayout::row_step + e;
      const S* const row = query_row(part, r);
      if (copies_ahead)
        copy_ahead(target, row ? row + e : part.sequence.all.q, row && e < shape.width);
      else
        store_pack(target, load_part<pack>(row, e, shape.width));
    }
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
  typename Unit::Part part[Tile::queries][Tile::parts];

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
        part[q][p] = Unit::part(widened);
        separate();
      }
    }
  }
  KG_DEVICE typename Unit::Side side(u32 q, u32 p) const { return Unit::side(part[q][p]); }
};

template <class Tile, class S, bool shared = Tile::Unit::chains_left>
struct TileQueries {
  using type = SharedQueries<Tile, S>;
};
template <class Tile, class S>
struct TileQueries<Tile, S, false> {
  using type = HeldQueries<Tile, S>;
};

/// What a wave has of its queries' results: sums of values, their weights and the largest logit, in powers of two.
template <class Tile>
struct TileResults {
  using Unit = typename Tile::Unit;
  using Sum = typename Unit::Sum;

  /// Less than any logit; it may be subtracted from -inf.
  static constexpr f32 lowest = -0x1.fffffep+127f;

  Sum sum[Tile::queries][Tile::parts] = {};
  f32 top[Tile::queries][Unit::chained];
  f32 weight[Tile::queries][Unit::chained] = {};

  KG_DEVICE TileResults() {
    for (auto& tops : top)
      for (f32& x : tops) x = lowest;
  }

  /// Over lanes that hold others of the same queries.
  template <class Op>
  static KG_DEVICE f32 over_peers(f32 x, Op op) {
    const u32 lane = thread_index() & (wave_size() - 1);
    KG_UNROLL for (u32 mask = Unit::first_peer; mask < Unit::end_peer; mask *= 2) x =
        op(x, bit_cast<f32>(native::lane_word(bit_cast<u32>(x), lane ^ mask)));
    return x;
  }

  /// Takes the maxima of logits in, which `scale`, not negative, turns into powers of two.
  KG_DEVICE void raise(const Sum (&logits)[Tile::queries][Tile::key_tiles], f32 scale) {
    f32 factor[Tile::queries][Unit::chained];
    KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
      KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) {
        f32 highest = lowest;
        KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) {
          KG_UNROLL for (int i = 0; i < Unit::results; ++i) if (Unit::chain(i) == c) highest =
              native::maximum(highest, logits[q][k][i]);
        }
        highest = over_peers(highest, [](f32 a, f32 b) KG_INLINE { return native::maximum(a, b); });
        const f32 raised = native::maximum(top[q][c], highest * scale);
        factor[q][c] = native::rough_exp2(top[q][c] - raised);
        top[q][c] = raised;
      }
    }
    multiply(factor);
  }

  /// Makes weights of the logits of a sixteen of queries and one of keys, ready to be multiplied with values.
  KG_DEVICE typename Unit::Part weigh(u32 q, const Sum& logits, f32 scale) {
    Sum weights;
    KG_UNROLL for (int i = 0; i < Unit::results; ++i) {
      const u32 c = Unit::chain(i);
      weights[i] = native::rough_exp2(native::fma(logits[i], scale, -top[q][c]));
      weight[q][c] += weights[i];
    }
    return Unit::part(weights);
  }

 private:
  /// Maxima rarely rise once many keys were seen.
  KG_DEVICE void multiply(const f32 (&factor)[Tile::queries][Unit::chained]) {
    bool changes = false;
    KG_UNROLL for (const auto& of_query : factor) {
      KG_UNROLL for (const f32 x : of_query) changes |= x != 1.0f;
    }
    if (native::ballot(changes) == 0) return;
    KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
      KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) weight[q][c] *= factor[q][c];
      KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
        KG_UNROLL for (int i = 0; i < Unit::results; ++i) sum[q][p][i] *= factor[q][Unit::chain(i)];
      }
    }
  }
};

struct TileRows {
  KG_DEVICE u32 operator()() const { return attention_tile_rows; }
};

/// A block's work on one part.
template <class T, class K, u32 W>
struct TileWork {
  using S = multiplied<T>;
  using Tile = AttentionTile<S, W>;
  using Unit = typename Tile::Unit;
  using Sum = typename Unit::Sum;
  using Logits = Sum[Tile::queries][Tile::key_tiles];
  using Panels = typename Tile::template Panels<K>;

  const AttentionWork<T, K, TileRows>& work;
  u32 wave_row;
  TileResults<Tile> results;

  KG_DEVICE void run(S* shared, u32* spoilt) {
    const Attention<T, K> x = work.operands();
    const AttentionPart<T, K> part(x, work.rows_each(), work.index);
    const typename TileQueries<Tile, S>::type queries(shared, wave_row, part);
    S* const keys = shared + Tile::query_elements;
    S* const values = keys + Tile::KeyLayout::elements;
    const KeyRange range = part.keys;
    const KeyRows<K> k(part.sequence, x.k, x.shape.k, spoilt), v(part.sequence, x.v, x.shape.v, spoilt);
    const bool plain = !x.mask && !x.slopes && x.shape.soft_cap == 0 && x.shape.scale > 0;
    const f32 scale = plain ? x.shape.scale * log2_e : log2_e;
    typename Panels::Keys key_panel(keys);
    typename Panels::Values value_panel(values);
    key_panel.fetch(k, range.begin, range.end);
    for (u32 first = range.begin; first < range.end; first += Tile::keys) {
      key_panel.place(k);
      sync();
      value_panel.fetch(v, first, range.end);
      Logits logits;
      multiply_keys(logits, queries, keys);
      value_panel.place(v);
      sync();
      if (first + Tile::keys < range.end) key_panel.fetch(k, first + Tile::keys, range.end);
      if (!plain) finish_logits(logits, first);
      if (first < range.seen_begin || first + Tile::keys > range.seen_end) hide_keys(logits, first);
      results.raise(logits, scale);
      add_values(logits, scale, values);
    }
    await_copies();  // of queries, where there were no keys
  }

 private:
  static constexpr f32 log2_e = 0x1.715476p+0f;

  template <class Queries>
  KG_DEVICE void multiply_keys(Logits& logits, const Queries& queries, const S* keys) const {
    KG_UNROLL for (auto& of_query : logits) { KG_UNROLL for (Sum& sum : of_query) sum = {}; }
    using Layout = typename Tile::KeyLayout;
    KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
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

  KG_DEVICE void add_values(const Logits& logits, f32 scale, const S* values) {
    using Layout = typename Tile::ValueLayout;
    KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) {
      typename Unit::Side weight[Tile::queries];
      KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) weight[q] =
          Unit::side(results.weigh(q, logits[q][k], scale));
      KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
        const auto value =
            Tile::template others<Layout>(values + p * 16 * Layout::row_step + k * 16 * Layout::term_step);
        KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) results.sum[q][p] =
            Tile::multiply(weight[q], value, results.sum[q][p]);
        if (p % 2 == 1) separate();
      }
    }
  }

  /// Puts f(row)(logit, key) for each logit of this lane, whose query is that row of the part.
  template <class F>
  KG_DEVICE void for_each_logit(Logits& logits, u32 first, u32 rows, F f) const {
    KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
      KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) {
        const u32 row = known_from_here(wave_row + q * 16 + Tile::chain_query(c));
        const auto each = f(row < rows ? row : rows - 1);
        const u32 key = first + Tile::first_term();
        KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) {
          KG_UNROLL for (int i = 0; i < Unit::results; ++i) if (Unit::chain(i) == c) logits[q][k][i] =
              each(logits[q][k][i], key + k * 16 + Unit::term(i));
          separate();
        }
      }
    }
  }

  /// Makes logits of products.
  KG_DEVICE void finish_logits(Logits& logits, u32 first) const {
    work.take([&](const AttentionPart<T, K>& part) KG_INLINE {
      const Attention<T, K>& all = part.sequence.all;
      const u32 last_key = part.keys.end - 1;
      for_each_logit(logits, first, part.count, [&](u32) KG_INLINE {
        return [scale = all.shape.scale](f32 x, u32) KG_INLINE { return x * scale; };
      });
      if (all.shape.soft_cap != 0)
        for_each_logit(logits, first, part.count, [&](u32) KG_INLINE {
          return [&](f32 x, u32) KG_INLINE { return part.sequence.capped(x); };
        });
      if (all.slopes)
        for_each_logit(logits, first, part.count, [&](u32 r) KG_INLINE {
          return [head = part.head(r), t = part.query(r)](f32 x, u32 j)
                     KG_INLINE { return x + head.bias(t, j); };
        });
      if (all.mask)
        for_each_logit(logits, first, part.count, [&](u32 r) KG_INLINE {
          return [head = part.head(r), t = part.query(r), last_key](f32 x, u32 j)
                     KG_INLINE { return x + head.masked(t, j < last_key ? j : last_key); };
        });
    });
  }

  /// Keys that a query does not see.
  KG_DEVICE void hide_keys(Logits& logits, u32 first) const {
    work.take([&](const AttentionPart<T, K>& part) KG_INLINE {
      for_each_logit(logits, first, part.count, [&](u32 r) KG_INLINE {
        const u32 t = part.query(r), begin = part.sequence.first_key(t), end = part.sequence.end_key(t);
        return [begin, count = end < begin ? 0 : end - begin](f32 x, u32 j)
                   KG_INLINE { return j - begin < count ? x : negative_infinity(); };
      });
    });
  }
};

/// Puts neighbours, from element `first` on, into a row of `width`.
template <int count, class T>
KG_DEVICE void store_part(T* row, u32 first, const f32 (&values)[count], u32 width) {
  if (first >= width) return;
  Pack<T, count> pack{};
  KG_UNROLL for (int i = 0; i < count; ++i) pack.set(i, convert<T>(values[i]));
  store_pack(row + first, pack);
}

/// Hands results on: divided by their weights, or, where there are splits, as partial ones. Whether all are finite.
template <class T, class K, u32 W>
KG_DEVICE bool store_results(const TileWork<T, K, W>& work, const AttentionPart<T, K>& part) {
  using Tile = typename TileWork<T, K, W>::Tile;
  using Unit = typename Tile::Unit;
  constexpr f32 ln_2 = 0x1.62e43p-1f;
  const AttentionShape& shape = part.sequence.all.shape;
  bool finite = true;
  KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
    KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) {
      const auto add = [](f32 a, f32 b) KG_INLINE { return a + b; };
      const AttentionState own{work.results.top[q][c] * ln_2,
                               work.results.over_peers(work.results.weight[q][c], add)};
      const u32 r = known_from_here(work.wave_row + q * 16 + Tile::chain_query(c));
      if (r >= part.count) continue;
      const u32 t = part.query(r);
      const AttentionHead<T, K> head = part.head(r);
      const bool some = t < head.queries && own.weight != 0;
      const AttentionState state = some ? own : AttentionState{negative_infinity(), 0};
      const u32 first = Tile::first_term();
      const auto put = [&](auto* row, f32 scale) KG_INLINE {
        KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
          KG_UNROLL for (int i = 0; i < Unit::results; i += Unit::neighbours) {
            if (Unit::chain(i) != c) continue;
            f32 sum[Unit::neighbours];
            KG_UNROLL for (int n = 0; n < Unit::neighbours; ++n) {
              sum[n] = state.weight == 0 ? 0.0f : work.results.sum[q][p][i + n] * scale;
              finite &= sum[n] - sum[n] == 0;
            }
            store_part(row, first + p * 16 + Unit::term(i), sum, shape.width);
          }
          separate();
        }
      };
      if (shape.splits > 1) {
        const PartialRows partials = partial_rows(head.all);
        if (first == 0) *partials.state(head.row(t), part.split) = state;
        put(partials.sums(head.row(t), part.split), 1.0f);
      } else {
        const AttentionState whole = head.all.sinks ? with_sink(state, head.all.sinks[head.head]) : state;
        if (head.all.log_sums && first == 0) head.all.log_sums[head.row(t)] = log_sum(whole);
        put(head.result(t), share_of(state, whole));
      }
    }
  }
  return finite;
}

/// Whether all operands are moved in whole packs: what is not is left to other engines.
template <class T, class K>
KG_DEVICE bool has_whole_packs(const Attention<T, K>& x) {
  const AttentionShape& shape = x.shape;
  return has_whole_packs(x.q, shape.q, shape.width) && has_whole_packs(x.k, shape.k, shape.width) &&
         has_whole_packs(x.v, shape.v, shape.width) && has_whole_packs(x.y, shape.y, shape.width);
}

template <u32 W, class T, class K>
KG_DEVICE void attend_tiles(const Attention<T, K>& given) {
  using Tile = typename TileWork<T, K, W>::Tile;
  KG_SHARED_BLOCK(shared, Tile::shared_bytes);
  KG_SHARED Parked<Attention<T, K>> place;
  KG_SHARED u32 spoilt;
  park(place, given);
  const Everyones step = grid_size();
  for (WideEveryones index = block_index();; index = index + step) {
    const AttentionWork<T, K, TileRows> work{place, given, {}, index};
    {
      const Attention<T, K> x = work.operands();
      if (index >= attention_pieces(x.shape, Tile::rows)) return;
      if (thread_index() == 0) spoilt = block_size() != Tile::threads || !has_whole_packs(x);
    }
    sync();
    if (spoilt == 0) {
      sync();  // before one finds something spoilt

      TileWork<T, K, W> tile{work, thread_index() / Tile::Unit::lanes * Tile::wave_rows, {}};
      tile.run(reinterpret_cast<multiplied<T>*>(shared), &spoilt);
      work.take([&](const auto& part) KG_INLINE {
        if (!store_results(tile, part)) spoilt = 1;
      });
      sync();
    }
    // What a query does not see was multiplied by 0, which is no matter unless it is infinite or not a number; a page
    // outside the cache was taken for zeros.
    if (spoilt != 0) {
      sync();
      const Attention<T, K> x = unpark_for_thread(place, given);
      attend_by_waves(AttentionPart<T, K>(x, Tile::rows, index));
    }
  }
}

}  // namespace kg::detail

namespace kg {

template <u32 widest, class T, class K>
KG_DEVICE void attention_tile(const Attention<T, K>& x) {
  if constexpr (detail::has_attention_tile<multiplied<T>, widest>) {
    detail::attend_tiles<widest>(x);
  } else {
    KG_SHARED Parked<Attention<T, K>> place;
    park(place, x);
    sync();
    const Everyones step = grid_size();
    for (WideEveryones index = block_index();; index = index + step) {
      const Attention<T, K> operands = unpark_for_thread(place, x);
      if (index >= attention_pieces(operands.shape, attention_tile_rows)) return;
      detail::attend_by_waves(detail::AttentionPart<T, K>(operands, attention_tile_rows, index));
    }
  }
}

}  // namespace kg
