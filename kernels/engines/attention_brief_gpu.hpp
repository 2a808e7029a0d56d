#pragma once
/// Attention over a few keys, a wave a row of q: lanes share the elements of rows while a lane has a key's logit. Calls are
/// so short that what counts is how little code they fetch, so loops stay loops.
#include "device/parked.hpp"
#include "engines/attention_rows_gpu.hpp"

namespace kg {
namespace detail {

/// In accesses of W elements.
template <u32 W, class T, class K>
struct AttentionBrief {
  /// Keys that are on their way together.
  static constexpr u32 together = 8;
  static_assert(attention_brief_keys % together == 0, "the turns of a wave are whole");

  const AttentionHead<T, K>& head;
  const Group& wave;
  const u32 t, first, count;         ///< the row's query; the keys that it may see
  const i64 key_place, value_place;  ///< of this lane's key; `none` behind the last and for what lies nowhere

  KG_DEVICE AttentionBrief(const AttentionHead<T, K>& head, const Group& wave, u32 t, u32 first, u32 count)
      : head(head),
        wave(wave),
        t(t),
        first(first),
        count(count),
        key_place(place(head.all.shape.k)),
        value_place(place(head.all.shape.v)) {}

  KG_DEVICE void run() const {
    const AttentionShape& shape = head.all.shape;
    f32 s = negative_infinity();
    KG_NO_UNROLL for (u32 turn = 0; turn < count; turn += together) {
      const f32 product = multiply(turn);
      s = wave.lane - turn < together ? product : s;
    }
    const u32 j = first + wave.lane;
    s = key_place != IndexCheck::none ? head.logit(s, t, j) : negative_infinity();
    f32 top = s;
    KG_NO_UNROLL for (u32 mask = wave.size / 2; mask > 0; mask /= 2) {
      const f32 other = lane_xor(wave, top, mask);
      top = other > top ? other : top;
    }
    const f32 weight = attention_weight(s, top);
    AttentionState state{top, weight};
    KG_NO_UNROLL for (u32 mask = wave.size / 2; mask > 0; mask /= 2) state.weight +=
        lane_xor(wave, state.weight, mask);
    const AttentionState whole = head.all.sinks ? with_sink(state, head.all.sinks[head.head]) : state;
    if (head.all.log_sums && wave.lane == 0) head.all.log_sums[head.row(t)] = log_sum(whole);
    const f32 share = share_of(state, whole);
    KG_NO_UNROLL for (u32 first = 0; first < shape.width; first += wave.size * W) {
      const u32 e = first + wave.lane * W;
      f32 sum[W] = {};
      add_values(sum, e, s, weight);
      if (e >= shape.width) continue;
      Pack<T, W> result{};
      KG_UNROLL for (u32 i = 0; i < W; ++i) result.set(static_cast<int>(i), convert<T>(sum[i] * share));
      store_pack(head.result(t) + e, result);
    }
  }

 private:
  KG_DEVICE i64 place(const AttentionRows& rows) const {
    return wave.lane < count ? head.place(rows, first + wave.lane) : IndexCheck::none;
  }
  /// Those of a turn's keys, from the lanes that have them.
  static KG_DEVICE void collect(i64 place, u32 turn, i64 (&at)[together]) {
    KG_UNROLL for (u32 k = 0; k < together; ++k) at[k] = lane_value(place, turn + k);
  }

  /// Of a row's elements from e on; zeros of one that lies nowhere.
  static KG_DEVICE Pack<K, W> load(const K* rows, i64 at, u32 e, bool wanted) {
    return wanted && at != IndexCheck::none ? load_pack<W>(rows + at + e) : Pack<K, W>{};
  }

  /// The product of q and key `turn` + k for the lane of that number, of whatever k.
  KG_DEVICE f32 multiply(u32 turn) const {
    i64 at[together];
    collect(key_place, turn, at);
    f32 product[together] = {};
    KG_NO_UNROLL for (u32 e = wave.lane * W; e < head.all.shape.width; e += wave.size * W) {
      const Pack<T, W> q = load_pack<W>(head.query(t) + e);
      Pack<K, W> key[together];
      KG_UNROLL for (u32 k = 0; k < together; ++k) key[k] = load(head.all.k, at[k], e, true);
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        KG_UNROLL for (int i = 0; i < int{W}; ++i) product[k] =
            native::fma(widen(q.get(i)), widen(key[k].get(i)), product[k]);
      }
    }
    KG_NO_UNROLL for (u32 mask = wave.size / 2; mask > 0; mask /= 2) {
      KG_UNROLL for (u32 k = 0; k < together; ++k) product[k] += lane_xor(wave, product[k], mask);
    }
    f32 own = 0;
    KG_UNROLL for (u32 k = 0; k < together; ++k) own = wave.lane == turn + k ? product[k] : own;
    return own;
  }

  /// Of elements from e on, which may be behind a row's last.
  KG_DEVICE void add_values(f32 (&sum)[W], u32 e, f32 s, f32 weight) const {
    KG_NO_UNROLL for (u32 turn = 0; turn < count; turn += together) {
      i64 at[together];
      collect(value_place, turn, at);
      Pack<K, W> value[together];
      KG_UNROLL for (u32 k = 0; k < together; ++k) value[k] =
          load(head.all.v, at[k], e, e < head.all.shape.width);
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        // A key that is not seen may be infinite.
        const bool is_seen = lane_value(s, turn + k) != negative_infinity();
        const f32 share = lane_value(weight, turn + k);
        KG_UNROLL for (u32 i = 0; i < W; ++i) {
          const f32 x = is_seen ? widen(value[k].get(static_cast<int>(i))) : 0.0f;
          sum[i] = native::fma(share, x, sum[i]);
        }
      }
    }
  }
};

}  // namespace detail

namespace detail {

/// Whether all rows are whole accesses of W elements.
template <u32 W, class T, class K>
KG_DEVICE bool has_rows_of(const Attention<T, K>& x) {
  const AttentionShape& shape = x.shape;
  const auto fits = [&](const auto* data, const AttentionRows& rows)
                        KG_INLINE { return is_aligned<W>(data) && attention_in_packs(rows, shape.width, W); };
  return fits(x.q, shape.q) && fits(x.k, shape.k) && fits(x.v, shape.v) && fits(x.y, shape.y);
}

/// All rows of q, a wave each.
template <u32 W, class T, class K>
KG_DEVICE void attend_briefly(const Attention<T, K>& x) {
  const Group wave(wave_size());
  const u32 queries = x.shape.queries, rows = x.shape.batch * x.shape.heads * queries;
  if (wave.index >= wave.count) return;
  KG_NO_UNROLL for (u32 row = block_index() * wave.count + wave.index; row < rows;
                    row += grid_size() * wave.count) {
    const u32 line = row / queries, batch = line / x.shape.heads;
    const AttentionHead<T, K> head(x, batch, line - batch * x.shape.heads);
    const u32 t = row - line * queries, begin = head.first_key(t), end = head.end_key(t);
    AttentionBrief<W, T, K>(head, wave, t, begin, end < begin ? 0 : end - begin).run();
  }
}

}  // namespace detail

/// Of up to attention_brief_keys keys, without splits.
template <class T, class K>
KG_DEVICE void attention_brief(const Attention<T, K>& given) {
  KG_SHARED Parked<Attention<T, K>> place;
  park(place, given);
  const Attention<T, K> x = unpark_for_thread(place, given);
  constexpr u32 W = sizeof(K) == 4 ? 4 : 8;
  if (block_size() < wave_size())
    detail::attend_singly(x);
  else if (x.shape.width > wave_size() && detail::has_rows_of<W>(x))
    detail::attend_briefly<W>(x);
  else
    detail::attend_briefly<1>(x);
}

}  // namespace kg
