#pragma once
/// Attention with one wave per row of q: one key per lane for logits, several elements per lane for sums.
/// Compact code without shared memory, to recompute what faster kernels cannot.
#include "attention/simt_gpu.hpp"

namespace kg::detail {

template <class T, class K, bool allows_f32>
struct AttentionWave {
  static constexpr u32 sums = attention_widest / 32;

  const AttentionTile<T, K>& tile;
  const Group wave{wave_size()};

  template <class Op>
  KG_DEVICE f32 over_lanes(f32 x, Op op) const {
    for (u32 mask = wave_size() / 2; mask > 0; mask /= 2) x = op(x, lane_xor(wave.lane, x, mask));
    return x;
  }

  KG_DEVICE f32 logit(const AttentionHead<T, K>& head, u32 t, u32 j) const {
    if (j < head.first_key(t) || j >= head.end_key(t)) return negative_infinity();
    const i64 key_at = head.key_offset(head.all.shape.k, j);
    if (key_at == IndexCheck::none) return negative_infinity();
    const QueryRow<T> q = allows_f32 ? head.query_row(t) : QueryRow<T>{head.query(t), false};
    const K* k = head.all.k + key_at;
    f32 product = 0;
    for (u32 e = 0; e < head.all.shape.width; ++e) product = native::fma(q[e], widen(k[e]), product);
    return head.logit(product, t, j);
  }

  KG_DEVICE void run(u32 r) const {
    const AttentionHead<T, K> head = tile.head(r);
    const AttentionShape& shape = head.all.shape;
    const u32 t = tile.query(r), own_lane = optimization_barrier(wave.lane);
    AttentionState state{negative_infinity(), 0};
    f32 sum[sums] = {};
    for (u32 first = tile.keys.begin; first < tile.keys.end; first += wave_size()) {
      const u32 j = first + own_lane;
      const f32 s = j < tile.keys.end ? logit(head, t, j) : negative_infinity();
      const auto larger = [](f32 a, f32 b) KG_INLINE { return b > a ? b : a; };
      const f32 top = larger(state.row_max, over_lanes(s, larger));
      const f32 factor = attention_weight(state.row_max, top), weight = attention_weight(s, top);
      state = {top, native::fma(state.row_sum, factor,
                                over_lanes(weight, [](f32 a, f32 b) KG_INLINE { return a + b; }))};
      KG_UNROLL for (f32& x : sum) x *= factor;
      for (u32 lane = 0; lane < wave_size() && first + lane < tile.keys.end; ++lane) {
        const f32 given = lane_value(weight, lane);
        if (lane_value(s, lane) == negative_infinity()) continue;
        const K* v = head.all.v + head.key_offset(shape.v, first + lane);
        KG_UNROLL for (u32 i = 0; i < sums; ++i) {
          const u32 e = i * wave_size() + own_lane;
          if (e < shape.width) sum[i] = native::fma(given, widen(v[e]), sum[i]);
        }
      }
    }
    KG_UNROLL for (u32 i = 0; i < sums; ++i) {
      const u32 e = i * wave_size() + own_lane;
      if (e < shape.width) store_attention<allows_f32>(head, t, tile.split, e, state, sum[i]);
    }
  }
};

/// Processes all rows of the tile. The block must have at least one whole wave.
template <bool allows_f32, class T, class K>
KG_DEVICE void attend_by_waves(const AttentionTile<T, K>& tile) {
  const AttentionWave<T, K, allows_f32> work{tile};
  const u32 waves = uniform_optimization_barrier(block_size()) / wave_size();
  // Threads past the last whole wave have no rows.
  if (thread_index() / wave_size() < waves)
    for (u32 r = thread_index() / wave_size(); r < tile.count; r += waves) work.run(r);
}

}  // namespace kg::detail
