#pragma once
/// Attention for small calls. A group of lanes shares the elements of a key; other groups of the wave take other keys. A wave
/// takes a row of q or, if there are few rows, a block does and its waves take different keys. Such calls are bound by the number
/// of memory round trips and by the size of the code.
#include "attention/simt_gpu.hpp"
#include "device/args_in_lds.hpp"

namespace kg {
namespace detail {

/// Partial results that waves of the same row exchange.
struct AttentionSmallShared {
  static constexpr u32 waves = block_threads / 32;

  AttentionState states[waves];
  f32 sums[waves][attention_widest];
};

/// The keys [first, end) that query t of a head sees, in accesses of W elements, for one of the waves that
/// share them.
template <u32 W, class T, class K>
struct AttentionSmall {
  /// Keys in flight per lane, and accesses per row and lane.
  static constexpr u32 together = attention_keys_together(W), packs = attention_widest / 32 / W;

  const AttentionHead<T, K>& head;
  const Group& wave;
  const Group key_lanes;  ///< of the wave: the lanes that share a key
  const u32 t, first, end;
  AttentionState state{negative_infinity(), 0};
  f32 sum[packs][W] = {};

  KG_DEVICE AttentionSmall(const AttentionHead<T, K>& head, const Group& wave, u32 t, u32 first, u32 end)
      : head(head),
        wave(wave),
        key_lanes(attention_key_lanes(head.all.shape.width, W, wave.size), wave.rank, wave.size),
        t(t),
        first(first),
        end(end) {}

  /// Processes the keys of one stream per group of lanes: keys are strided across `streams` streams,
  /// starting at `stream`.
  KG_DEVICE void add_keys(u32 stream, u32 streams) {
    Pack<T, W> q[packs]{};
    for_each_pack([&](u32 p, u32 e) KG_INLINE { q[p] = rounded_pack<W>(head.query_row(t), e); });
    // Per-key values are computed by one lane of each group, so that the code exists once.
    const u32 mine = key_lanes.rank % together, leader = wave.rank - key_lanes.rank;
    KG_NO_UNROLL for (u32 begin = first + stream; begin < end + stream; begin += streams * together) {
      const u32 j = begin + mine * streams;
      const i64 key_at = j < end ? head.key_offset(head.all.shape.k, j) : IndexCheck::none;
      const i64 value_at =
          key_at != IndexCheck::none ? head.key_offset(head.all.shape.v, j) : IndexCheck::none;
      // Loaded with the key, not after its product; for an invalid key that of another one, see row_at().
      f32 mask = 0;
      if (head.all.mask) mask = head.masked(t, key_at != IndexCheck::none ? j : first);
      Pack<K, W> key[together][packs], value[together][packs];
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        load(key[k], row_at(head.all.k, lane_value(key_at, leader + k)));
        load(value[k], row_at(head.all.v, lane_value(value_at, leader + k)));
      }
      f32 product[together];
      KG_UNROLL for (u32 k = 0; k < together; ++k) product[k] = multiply(q, key[k]);
      KG_NO_UNROLL for (u32 mask = key_lanes.size / 2; mask > 0; mask /= 2) {
        KG_UNROLL for (u32 k = 0; k < together; ++k) product[k] += lane_xor(wave, product[k], mask);
      }
      f32 s = product[0];
      KG_UNROLL for (u32 k = 1; k < together; ++k) s = mine == k ? product[k] : s;
      s = key_at != IndexCheck::none ? head.masked_logit(s, t, j, mask) : negative_infinity();
      f32 top = s;
      KG_UNROLL for (u32 mask = 1; mask < together; mask *= 2) {
        const f32 other = lane_xor(wave, top, mask);
        top = other > top ? other : top;
      }
      scale_to(top > state.row_max ? top : state.row_max);
      // -1 marks a key that is not seen. Its value is replaced by zeros: 0 times an infinite value would be NaN.
      const f32 weight = s == negative_infinity() ? -1.0f : attention_decay(s, state.row_max);
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        const f32 given = lane_value(weight, leader + k), share = given < 0 ? 0.0f : given;
        if (given < 0) KG_UNROLL for (u32 p = 0; p < packs; ++p) value[k][p] = {};
        state.row_sum += share;
        KG_UNROLL for (u32 p = 0; p < packs; ++p) {
          KG_UNROLL for (int i = 0; i < int{W}; ++i) sum[p][i] =
              native::fma(share, widen(value[k][p].get(i)), sum[p][i]);
        }
      }
    }
    // Combines the wave's groups of lanes.
    KG_NO_UNROLL for (u32 mask = key_lanes.size; mask < wave.size; mask *= 2) {
      const f32 other = lane_xor(wave, state.row_max, mask);
      scale_to(other > state.row_max ? other : state.row_max);
      state.row_sum += lane_xor(wave, state.row_sum, mask);
      KG_UNROLL for (u32 p = 0; p < packs; ++p) {
        KG_UNROLL for (u32 i = 0; i < W; ++i) sum[p][i] += lane_xor(wave, sum[p][i], mask);
      }
    }
  }

  /// Stores the result over all keys.
  KG_DEVICE void store() {
    const f32 share = finish_query(head, t, state, wave.rank == 0);
    if (key_lanes.index != 0) return;
    for_each_pack([&](u32 p, u32 e) KG_INLINE {
      KG_UNROLL for (f32& x : sum[p]) x *= share;
      if (head.all.has_f32_rows())
        store_as(head.f32_result(t) + e, sum[p]);
      else
        store_as(head.result(t) + e, sum[p]);
    });
  }

  /// Stores the partial result of wave `number` of `count`, then combines all of them and stores the result, or with several
  /// splits the partial result of one.
  KG_DEVICE void join(AttentionSmallShared& shared, u32 number, u32 count, u32 split) const {
    if (wave.rank == 0 && number < count) shared.states[number] = state;
    if (key_lanes.index == 0 && number < count)
      for_each_pack([&](u32 p, u32 e) KG_INLINE {
        KG_UNROLL for (u32 i = 0; i < W; ++i) shared.sums[number][e + i] = sum[p][i];
      });
    sync();
    AttentionState seen = shared.states[0];
    for (u32 w = 1; w < count; ++w) seen = both(seen, shared.states[w]);
    if (native::uniform(head.all.shape.splits > 1))
      store_partial(shared, count, split, seen);
    else
      store_whole(shared, count, seen);
    sync();
  }

 private:
  /// Calls f(element, its sum over all waves).
  template <class F>
  KG_DEVICE void for_each_sum(const AttentionSmallShared& shared, u32 count, const AttentionState& seen,
                              F f) const {
    for (u32 e = thread_index(); e < head.all.shape.width; e += block_size()) {
      f32 total = 0;
      for (u32 w = 0; w < count; ++w)
        total =
            native::fma(attention_decay(shared.states[w].row_max, seen.row_max), shared.sums[w][e], total);
      f(e, total);
    }
  }
  KG_DEVICE void store_whole(const AttentionSmallShared& shared, u32 count,
                             const AttentionState& seen) const {
    const f32 share = finish_query(head, t, seen, thread_index() == 0);
    for_each_sum(shared, count, seen,
                 [&](u32 e, f32 total) KG_INLINE { head.template store<true>(t, e, total * share); });
  }
  KG_DEVICE void store_partial(const AttentionSmallShared& shared, u32 count, u32 split,
                               const AttentionState& seen) const {
    const PartialRows partials = partial_rows(head.all);
    f32* const sums = partials.sums(head.row(t), split);
    for_each_sum(shared, count, seen, [&](u32 e, f32 total) KG_INLINE { sums[e] = total; });
    if (thread_index() == 0) *partials.state(head.row(t), split) = seen;
  }

  /// First element of this lane's access p.
  KG_DEVICE u32 element(u32 p) const { return (key_lanes.rank + p * key_lanes.size) * W; }
  /// Calls f(p, element) for each of this lane's accesses of a row.
  template <class F>
  KG_DEVICE void for_each_pack(F f) const {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      if (const u32 e = element(p); e < optimization_barrier(head.all.shape.width)) f(p, e);
    }
  }
  /// The row of a key. For an invalid key, any readable row, which is not used: conditional loads would wait
  /// for each other.
  KG_DEVICE const K* row_at(const K* rows, i64 at) const {
    return at != IndexCheck::none ? rows + at : reinterpret_cast<const K*>(head.query_row(t).data);
  }
  /// Loads a row's accesses. Those past its end repeat the first, for the same reason.
  KG_DEVICE void load(Pack<K, W> (&accesses)[packs], const K* row) const {
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      const u32 e = element(p);
      accesses[p] = load_pack<W>(row + (e < optimization_barrier(head.all.shape.width) ? e : 0));
    }
  }
  KG_DEVICE f32 multiply(const Pack<T, W> (&q)[packs], const Pack<K, W> (&key)[packs]) const {
    f32 all = 0;
    KG_UNROLL for (u32 p = 0; p < packs; ++p) {
      f32 total = all;
      KG_UNROLL for (int i = 0; i < int{W}; ++i) total =
          native::fma(widen(q[p].get(i)), widen(key[p].get(i)), total);
      all = element(p) < optimization_barrier(head.all.shape.width) ? total : all;
    }
    return all;
  }
  template <class Y>
  static KG_DEVICE void store_as(Y* to, const f32 (&values)[W]) {
    Pack<Y, W> pack{};
    KG_UNROLL for (int i = 0; i < int{W}; ++i) pack.set(i, convert<Y>(values[i]));
    store_pack(to, pack);
  }
  KG_DEVICE void scale_to(f32 top) {
    const f32 factor = attention_decay(state.row_max, top);
    state = {top, state.row_sum * factor};
    KG_UNROLL for (u32 p = 0; p < packs; ++p) { KG_UNROLL for (u32 i = 0; i < W; ++i) sum[p][i] *= factor; }
  }
};

/// Whether all rows consist of whole, aligned accesses of W elements.
template <u32 W, class T, class K>
KG_DEVICE bool is_packed(const Attention<T, K>& x) {
  const AttentionShape& shape = x.shape;
  const auto fits = [&](const auto* data, const AttentionStrides& rows)
                        KG_INLINE { return is_aligned<W>(data) && attention_in_packs(rows, shape.width, W); };
  return fits(x.q, shape.q) && fits(x.k, shape.k) && fits(x.v, shape.v) && fits(x.y, shape.y);
}

/// Processes all rows of q: one block per row and split if there are enough blocks, else one wave per row.
template <u32 W, class T, class K>
KG_DEVICE void attend_small(const Attention<T, K>& x, AttentionSmallShared& shared) {
  const Group wave(wave_size());
  const Uniform items = x.shape.tiles.count;
  const Uniform waves = wave.count > 1 && grid_size() >= items ? wave.count : 1;
  const u32 step = waves > 1 ? 1 : wave.count, offset = waves > 1 ? 0 : wave.index;
  KG_NO_UNROLL for (u32 at = keep_in_vector_register(block_index() * step); at < items;
                    at += grid_size() * step) {
    const bool works = wave.index < wave.count && at + offset < items;
    const AttentionItem item(x.shape.tiles, works ? at + offset : at);
    const u32 t = divide(item.row_tile, x.shape.tiles.group);
    const AttentionHead<T, K> head(
        x, item.batch, item.kv_head * x.shape.group + item.row_tile - t * x.shape.group, item.kv_head);
    const KeyRange keys = key_range(head, t, t).split(item.split, x.shape.splits);
    AttentionSmall<W, T, K> small(head, wave, t, keys.begin, works ? keys.end : 0);
    const u32 groups = small.key_lanes.count, first = waves > 1 ? wave.index * groups : 0;
    // Threads past the last whole wave only take part in barriers.
    if (wave.index < wave.count) small.add_keys(small.key_lanes.index + first, waves * groups);
    if (waves > 1)
      small.join(shared, wave.index, waves, item.split);
    else if (works)
      small.store();
  }
}

}  // namespace detail

/// With splits, requires a block of several waves for each row and split.
template <class T, class K>
KG_DEVICE void attention_small(const Attention<T, K>& given) {
  KG_SHARED ArgsInLds<Attention<T, K>> shared_args;
  KG_SHARED detail::AttentionSmallShared shared;
  store_args(shared_args, given);
  Attention<T, K> x = load_args_per_thread(shared_args, given);
  detail::operands_in_global_memory(x);
  constexpr u32 W = sizeof(K) == 4 ? 4 : 8;
  if (block_size() < wave_size())
    detail::attend_singly(x);
  else if (detail::is_packed<W>(x))
    detail::attend_small<W>(x, shared);
  else
    detail::attend_small<1>(x, shared);
}

}  // namespace kg
