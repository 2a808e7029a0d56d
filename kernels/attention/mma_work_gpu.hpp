#pragma once
/// The parts of attention by matrix instructions that do not depend on the instruction: a wave keeps the
/// results of its queries in registers, iterates over blocks of keys and values, and updates softmax's
/// maximum and sum online (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018; Dao,
/// "FlashAttention-2", 2023).
#include "attention/panel_gpu.hpp"
#include "attention/tile.hpp"
#include "attention/work_gpu.hpp"
#include "device/group.hpp"
#include "device/matrix_split.hpp"

namespace kg::detail {

/// How a block's tile of queries, with rows of up to `W` elements, and a block of keys are divided among
/// waves.
template <class S, u32 W, u32 block, u32 keys_each, class Scale = Unscaled,
          u32 rows_each = attention_mma_rows>
struct TileShape {
  using Unit = ExactUnit<S>;
  using Element = S;
  using Scaling = Scale;
  static constexpr u32 threads = block, keys = keys_each, width = W;
  static constexpr u32 rows = rows_each, wave_rows = rows / (threads / Unit::lanes);
  /// Blocks of 16: a wave's queries, the keys, a row's elements.
  static constexpr u32 queries = wave_rows / 16, key_tiles = keys / 16, parts = W / 16;

  /// Query of sum i within its block of 16.
  static KG_DEVICE u32 query(int i) { return Unit::chains_left ? Unit::row(i) : Unit::column(i); }
  /// Key, or element of a value row, of sum 0. Sum i is Unit::term(i) further.
  static KG_DEVICE u32 first_term() {
    return optimization_barrier(Unit::chains_left ? Unit::column(0) : Unit::row(0));
  }
  /// The query of chain c: a chain is a lane's sums of one query (MatrixUnit).
  static KG_DEVICE u32 chain_query(u32 c) {
    u32 of_chain = 0;
    KG_UNROLL for (int i = Unit::results - 1; i >= 0; --i) if (Unit::chain(i) == c) of_chain = query(i);
    return of_chain;
  }
};

/// Row r of q; null if the sequence does not have it.
template <class T, class K>
KG_DEVICE const T* query_row(const AttentionTile<T, K>& tile, u32 r) {
  const u32 t = tile.query(r);
  return r < tile.count && t < tile.sequence.queries ? tile.head(r).query(t) : nullptr;
}

/// Copies a tile's queries, with zeros for missing rows. With asynchronous copies, they are still in flight
/// on return.
template <class Tile, class Layout, class S, class T, class K>
KG_DEVICE void copy_queries(S* to, const AttentionTile<T, K>& tile) {
  const AttentionShape& shape = tile.sequence.all.shape;
  constexpr u32 pack = 16 / sizeof(S), packs = Tile::width / pack;
  const u32 e = thread_index() % packs * pack;
  KG_NO_UNROLL for (u32 r = thread_index() / packs; r < Tile::rows; r += Tile::threads / packs) {
    S* const target = to + Layout::offset(r, e);
    const T* const row = query_row(tile, r);
    if (has_async_copy)
      async_copy(target, row ? row + e : tile.sequence.all.q, row && e < shape.width);
    else
      store_pack(target, load_part<pack>(row, e, shape.width));
  }
}

/// A wave's running results: sums of weighted values, sums of weights, and the maximum logit, in base 2.
template <class Tile>
struct TileResults {
  using Unit = typename Tile::Unit;
  using Sum = typename Unit::Sum;

  /// Less than any logit; -inf minus this is not NaN.
  static constexpr f32 lowest = -0x1.fffffep+127f;

  Sum sum[Tile::queries][Tile::parts] = {};
  f32 row_max[Tile::queries][Unit::chained];
  f32 row_sum[Tile::queries][Unit::chained] = {};

  KG_DEVICE TileResults() {
    for (auto& of_query : row_max)
      for (f32& x : of_query) x = lowest;
  }

  /// Reduces x over the lanes that hold results of the same queries.
  template <class Op>
  static KG_DEVICE f32 over_matches(f32 x, Op op) {
    const u32 lane = thread_index() & (wave_size() - 1);
    KG_UNROLL for (u32 mask = Unit::first_peer; mask < Unit::end_peer; mask *= 2) x =
        op(x, lane_xor(lane, x, mask));
    return x;
  }

  /// Factors that rescale the sums after a maximum has risen.
  struct Factors {
    f32 of[Tile::queries][Unit::chained];
  };

  /// Updates the maxima with logits times `scale` (not negative; converts to base 2). The caller must
  /// multiply the sums by the returned factors.
  KG_DEVICE Factors raise(const Sum (&logits)[Tile::queries][Tile::key_tiles], f32 scale) {
    Factors factors;
    KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
      KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) {
        const f32 highest = over_matches(largest(logits[q], c), maximum) * scale;
        const f32 raised = highest > row_max[q][c] + slack ? highest - headroom : row_max[q][c];
        factors.of[q][c] = native::rough_exp2(row_max[q][c] - raised);
        row_sum[q][c] *= factors.of[q][c];
        row_max[q][c] = raised;
      }
    }
    return factors;
  }

  /// Skips the multiplication if no factor differs from 1: maxima rarely rise after many keys.
  KG_DEVICE void multiply(const Factors& factors) {
    bool changes = false;
    KG_UNROLL for (const auto& of_query : factors.of) {
      KG_UNROLL for (const f32 x : of_query) changes |= x != 1.0f;
    }
    if (native::ballot(changes) == 0) return;
    KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
      KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
        KG_UNROLL for (int i = 0; i < Unit::results; ++i) sum[q][p][i] *= factors.of[q][Unit::chain(i)];
      }
    }
  }

  /// Turns the logits of 16 queries and several blocks of 16 keys into weights.
  template <u32 sixteens>
  KG_DEVICE void weigh(u32 q, Sum* logits, f32 scale) {
    Sum added = {};
    KG_UNROLL for (u32 k = 0; k < sixteens; ++k) {
      KG_UNROLL for (int i = 0; i < Unit::results; ++i) {
        logits[k][i] = native::rough_exp2(native::fma(logits[k][i], scale, -row_max[q][Unit::chain(i)]));
        added[i] += logits[k][i];
      }
    }
    KG_UNROLL for (int i = 0; i < Unit::results; ++i) row_sum[q][Unit::chain(i)] += added[i];
  }

  /// The state of chain c of 16 queries, over the lanes that hold its results; no longer in base 2.
  KG_DEVICE AttentionState state(u32 q, u32 c) const {
    constexpr f32 ln_2 = 0x1.62e43p-1f;
    return {row_max[q][c] * ln_2, over_matches(row_sum[q][c], [](f32 a, f32 b) KG_INLINE { return a + b; })};
  }

 private:
  /// The maximum is only raised if it grows by more than `slack`, in powers of two, so that results are rarely
  /// rescaled. Where the unit flushes subnormals the greatest weight is then at least 2^headroom, so that those
  /// flushed in f16 are less than 2^-25 of it: as much as rounding takes elsewhere.
  static constexpr bool flushes = Tile::Scaling::exists;
  static constexpr f32 slack = flushes ? 15 : 8, headroom = flushes ? 11 : 0;

  static KG_DEVICE f32 maximum(f32 a, f32 b) { return native::maximum(a, b); }
  /// The maximum over a chain. Independent lanes of sums are compared in parallel, because each comparison
  /// depends on the one before.
  static KG_DEVICE f32 largest(const Sum (&logits)[Tile::key_tiles], u32 c) {
    Sum highest = logits[0];
    KG_UNROLL for (u32 k = 1; k < Tile::key_tiles; ++k) {
      KG_UNROLL for (int i = 0; i < Unit::results; ++i) if (Unit::chain(i) == c) highest[i] =
          maximum(highest[i], logits[k][i]);
    }
    f32 all = lowest;
    KG_UNROLL for (int i = 0; i < Unit::results; ++i) if (Unit::chain(i) == c) all = maximum(all, highest[i]);
    return all;
  }
};

/// The factor that converts logits to base 2. It includes the scale if products need no other finishing.
struct LogitScale {
  bool plain;  ///< products can be used as logits
  f32 factor;

  /// Products times `unscale` are those of the operands.
  template <class T, class K>
  KG_DEVICE explicit LogitScale(const Attention<T, K>& x, f32 unscale = 1)
      : plain(!x.mask && !x.alibi_slopes && x.shape.soft_cap == 0 && x.shape.scale > 0),
        factor(plain ? x.shape.scale * unscale * log2_e : log2_e) {}

 private:
  static constexpr f32 log2_e = 0x1.715476p+0f;
};

/// A block's work on one tile, as shared by both kinds of matrix units.
template <class T, class K, class TileOf>
struct TileWork {
  using Tile = TileOf;
  using Unit = typename Tile::Unit;
  using Sum = typename Unit::Sum;
  using Logits = Sum[Tile::queries][Tile::key_tiles];
  using Scaling = typename Tile::Scaling;
  /// Factors of sums over multiplied elements: keys and values of another type are not scaled.
  static constexpr f32 value_unscale = same<T, K> ? Scaling::unscale : 1,
                       logit_unscale = Scaling::unscale * value_unscale;

  const AttentionItemWork<T, K, Tile::rows>& work;
  u32 wave_row = thread_index() / Unit::lanes * Tile::wave_rows;
  TileResults<Tile> results;

  /// Finishes the logits of keys from `first` on: applies scale, cap, bias and mask if needed, and hides keys
  /// that are not seen.
  KG_DEVICE void finish(Logits& logits, u32 first, const KeyRange& range, const LogitScale& scale) const {
    if (native::uniform(!scale.plain)) finish_logits(logits, first);
    if (native::uniform(first < range.all_see_begin || first + Tile::keys > range.all_see_end))
      hide_keys(logits, first);
  }

 private:
  /// Replaces each logit of this lane by f(row)(logit, key), where row is its query's row in the tile.
  template <class F>
  KG_DEVICE void for_each_logit(Logits& logits, u32 first, u32 rows, F f) const {
    KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
      KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) {
        const u32 row = optimization_barrier(wave_row + q * 16 + Tile::chain_query(c));
        const auto each = f(row < rows ? row : rows - 1);
        const u32 key = first + Tile::first_term();
        KG_UNROLL for (u32 k = 0; k < Tile::key_tiles; ++k) {
          KG_UNROLL for (int i = 0; i < Unit::results; ++i) if (Unit::chain(i) == c) logits[q][k][i] =
              each(logits[q][k][i], key + k * 16 + Unit::term(i));
          sched_barrier();
        }
      }
    }
  }

  /// Turns products into logits.
  KG_DEVICE void finish_logits(Logits& logits, u32 first) const {
    work.with_tile([&](const AttentionTile<T, K>& tile) KG_INLINE {
      const Attention<T, K>& all = tile.sequence.all;
      const u32 last_key = tile.keys.end - 1;
      for_each_logit(logits, first, tile.count, [&](u32) KG_INLINE {
        return [scale = all.shape.scale * logit_unscale](f32 x, u32) KG_INLINE { return x * scale; };
      });
      if (all.shape.soft_cap != 0)
        for_each_logit(logits, first, tile.count, [&](u32) KG_INLINE {
          return [&](f32 x, u32) KG_INLINE { return tile.sequence.capped(x); };
        });
      if (all.alibi_slopes)
        for_each_logit(logits, first, tile.count, [&](u32 r) KG_INLINE {
          return [head = tile.head(r), t = tile.query(r)](f32 x, u32 j)
                     KG_INLINE { return x + head.bias(t, j); };
        });
      if (all.mask)
        for_each_logit(logits, first, tile.count, [&](u32 r) KG_INLINE {
          return [head = tile.head(r), t = tile.query(r), last_key](f32 x, u32 j)
                     KG_INLINE { return x + head.masked(t, j < last_key ? j : last_key); };
        });
    });
  }

  /// Sets keys that a query does not see, and keys past the tile's end, to -inf.
  KG_DEVICE void hide_keys(Logits& logits, u32 first) const {
    work.with_tile([&](const AttentionTile<T, K>& tile) KG_INLINE {
      for_each_logit(logits, first, tile.count, [&](u32 r) KG_INLINE {
        const u32 t = tile.query(r), begin = tile.sequence.first_key(t), seen = tile.sequence.end_key(t);
        const u32 end = seen < tile.keys.end ? seen : tile.keys.end;
        return [begin, count = end < begin ? 0 : end - begin](f32 x, u32 j)
                   KG_INLINE { return j - begin < count ? x : negative_infinity(); };
      });
    });
  }
};

/// Stores `count` contiguous elements at `first` of a row of `width`.
template <int count, class T>
KG_DEVICE void store_part(T* row, u32 first, const f32 (&values)[count], u32 width) {
  if (first >= width) return;
  Pack<T, count> pack{};
  KG_UNROLL for (int i = 0; i < count; ++i) pack.set(i, convert<T>(values[i]));
  store_pack(row + first, pack);
}

/// Stores the results, divided by the sums of weights, or partial results if there are splits. Returns whether
/// all are finite.
template <class T, class K, class Tile>
KG_DEVICE bool store_results(const TileWork<T, K, Tile>& work, const AttentionTile<T, K>& tile) {
  using Unit = typename Tile::Unit;
  const AttentionShape& shape = tile.sequence.all.shape;
  bool finite = true;
  KG_UNROLL for (u32 q = 0; q < Tile::queries; ++q) {
    KG_UNROLL for (u32 c = 0; c < Unit::chained; ++c) {
      const AttentionState own = work.results.state(q, c);
      const u32 r = optimization_barrier(work.wave_row + q * 16 + Tile::chain_query(c));
      if (r >= tile.count) continue;
      const u32 t = tile.query(r);
      const AttentionHead<T, K> head = tile.head(r);
      const bool some = t < head.queries && own.row_sum != 0;
      const AttentionState state = some ? own : AttentionState{negative_infinity(), 0};
      const u32 first = Tile::first_term();
      const auto put = [&](auto* row, f32 scale) KG_INLINE {
        KG_UNROLL for (u32 p = 0; p < Tile::parts; ++p) {
          KG_UNROLL for (int i = 0; i < Unit::results; i += Unit::neighbours) {
            if (Unit::chain(i) != c) continue;
            f32 sum[Unit::neighbours];
            KG_UNROLL for (int n = 0; n < Unit::neighbours; ++n) {
              sum[n] = (state.row_sum == 0 ? 0.0f : work.results.sum[q][p][i + n]) * scale;
              finite &= sum[n] - sum[n] == 0;
            }
            store_part(row, first + p * 16 + Unit::term(i), sum, shape.width);
          }
          sched_barrier();
        }
      };
      if (shape.splits > 1) {
        const PartialRows partials = partial_rows(head.all);
        if (first == 0) *partials.state(head.row(t), tile.split) = state;
        put(partials.sums(head.row(t), tile.split), work.value_unscale);
      } else {
        put(head.result(t), finish_query(head, t, state, first == 0) * work.value_unscale);
      }
    }
  }
  return finite;
}

}  // namespace kg::detail
