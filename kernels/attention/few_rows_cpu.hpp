#pragma once
/// Attention of few rows on CPUs, where tiles would mostly be padding. Keys and values are multiplied in
/// memory, without packing; between the two products there is one key per lane.
#include "attention/block_cpu.hpp"
#include "attention/result_cpu.hpp"
#include "attention/tile.hpp"

namespace kg::detail {

/// The numeric state, independent of the operands' types.
struct AttentionFewLines {
  using B = Blocking<f32>;
  using Vector = B::Vector;
  static constexpr u32 most = 6, lanes = B::lanes, keys = 6 * lanes;
  static constexpr i64 none = IndexCheck::none;

  /// A row's position among the keys, and the range of keys it sees.
  struct VisibleKeys {
    i32 position, begin, end;
  };

  f32 row_max[most], row_sum[most];
  alignas(64) f32 query[most][attention_widest];  ///< padded with zeros to whole vectors
  alignas(64) f32 sums[most][attention_widest];
  alignas(64) f32 logits[most][keys];
  alignas(64) f32 added[keys];  ///< mask elements, for a row that has a mask
  i64 key[keys], value[keys];   ///< offsets of the keys and values; `none` for no key

  /// Stores the horizontal sum of each vector, contiguously.
  static __attribute__((noinline, min_vector_width(8 * vector_bytes))) void add_up(Vector (&product)[lanes],
                                                                                   f32* to) {
    transpose(product);
    KG_UNROLL for (u32 half = lanes / 2; half > 0; half /= 2) {
      KG_UNROLL for (u32 l = 0; l < half; ++l) product[l] += product[l + half];
    }
    *reinterpret_cast<Vector*>(to) = product[0];
  }

  /// Turns products into logits; keys that the row does not see become -inf.
  __attribute__((noinline, min_vector_width(8 * vector_bytes))) void set_logits(
      u32 r, u32 first, const AttentionShape& shape, f32 slope, const VisibleKeys& visible, bool is_masked) {
    f32* const s = logits[r];
    const i32 j = static_cast<i32>(first), position = visible.position, begin = visible.begin,
              end = visible.end;
    for (u32 i = 0; i < keys; ++i) s[i] *= shape.scale;
    if (shape.soft_cap != 0)
      for (u32 i = 0; i < keys; ++i) s[i] = shape.soft_cap * tanh(s[i] / shape.soft_cap);
    if (slope != 0)
      for (u32 i = 0; i < keys; ++i) {
        const i32 at = j + static_cast<i32>(i);
        const u32 ahead = static_cast<u32>(at) - static_cast<u32>(position);
        s[i] -= slope * static_cast<f32>(at < position ? 0 - ahead : ahead);
      }
    if (is_masked)
      for (u32 i = 0; i < keys; ++i) s[i] += added[i];
    for (u32 i = 0; i < keys; ++i) {
      const i32 at = j + static_cast<i32>(i);
      s[i] = ((key[i] != none) & (at >= begin) & (at < end)) ? s[i] : negative_infinity();
    }
  }

  /// Turns logits into weights and rescales the row's sums to the new maximum.
  __attribute__((noinline, min_vector_width(8 * vector_bytes))) void set_weights(u32 r, u32 width) {
    f32* const s = logits[r];
    alignas(64) f32 greatest[lanes], total[lanes];
    for (u32 l = 0; l < lanes; ++l) {
      greatest[l] = row_max[r];
      total[l] = 0;
    }
    for (u32 i = 0; i < keys; i += lanes)
      for (u32 l = 0; l < lanes; ++l) greatest[l] = s[i + l] > greatest[l] ? s[i + l] : greatest[l];
    KG_UNROLL for (u32 half = lanes / 2; half > 0; half /= 2) {
      KG_UNROLL for (u32 l = 0; l < half; ++l) greatest[l] =
          greatest[l + half] > greatest[l] ? greatest[l + half] : greatest[l];
    }
    const f32 factor = attention_decay(row_max[r], greatest[0]);
    row_max[r] = greatest[0];
    for (u32 i = 0; i < keys; i += lanes)
      for (u32 l = 0; l < lanes; ++l) {
        s[i + l] = attention_decay(s[i + l], row_max[r]);
        total[l] += s[i + l];
      }
    KG_UNROLL for (u32 half = lanes / 2; half > 0; half /= 2) {
      KG_UNROLL for (u32 l = 0; l < half; ++l) total[l] += total[l + half];
    }
    row_sum[r] = row_sum[r] * factor + total[0];
    if (factor == 1.0f) return;
    for (u32 d = 0; d < width; ++d) sums[r][d] *= factor;
  }
};

template <class T, class K>
struct AttentionFewRows : AttentionFewLines {
  using Base = AttentionFewLines;

  const Attention<T, K>& x;
  const AttentionTile<T, K>& tile;
  const u32 width, rows;  ///< elements per row; rows of the tile

  KG_DEVICE explicit AttentionFewRows(const AttentionTile<T, K>& tile)
      : x(tile.sequence.all), tile(tile), width(x.shape.width), rows(tile.count) {}

  KG_DEVICE void run() {
    const KeyRange& range = tile.keys;
    for (u32 r = 0; r < rows; ++r) start(r);
    for (u32 j = range.begin; j < range.end; j += keys) {
      const u32 count = range.end - j < keys ? range.end - j : keys;
      for (u32 i = 0; i < keys; ++i) {
        key[i] = i < count ? tile.sequence.key_offset(x.shape.k, j + i) : none;
        if (key[i] != none) value[i] = tile.sequence.key_offset(x.shape.v, j + i);
      }
      u32 r = 0;
      for (; r + 1 < rows; r += 2) add_keys<2>(r, j, count);
      if (r < rows) add_keys<1>(r, j, count);
    }
    for (u32 r = 0; r < rows; ++r)
      store_attention_row(tile, r, AttentionState{row_max[r], row_sum[r]}, sums[r]);
  }

  /// Adds a block of keys to `together` rows, which share the loads and conversions.
  template <u32 together>
  KG_DEVICE void add_keys(u32 r, u32 first, u32 count) {
    multiply_keys<together>(r, count);
    for (u32 k = 0; k < together; ++k) {
      set_logits(r + k, first, count);
      set_weights(r + k, width);
    }
    add_values<together>(r, count);
  }

  /// A row past the end of its sequence is zeros and sees no keys.
  KG_DEVICE void start(u32 r) {
    row_max[r] = negative_infinity();
    row_sum[r] = 0;
    for (u32 d = 0; d < attention_widest; ++d) query[r][d] = sums[r][d] = 0;
    const u32 t = tile.query(r);
    if (t < tile.sequence.queries) widen_row(tile.head(r).query_row(t), width, query[r]);
  }

  /// A vector of a key's or value's elements from `d` on, zero-padded.
  KG_DEVICE Vector load(const K* from, u32 d) const {
    return load_vector(width - d < lanes ? SomeElements<lanes, K>(from + d, width - d).data() : from + d);
  }

  template <u32 together>
  KG_DEVICE void multiply_keys(u32 r, u32 count) {
    for (u32 i = 0; i < count; i += lanes) {
      Vector product[together][lanes];
      for (u32 l = 0; l < lanes; ++l) {
        Vector sum[together] = {};
        for (u32 d = 0; d < width && key[i + l] != none; d += lanes) {
          const Vector element = load(x.k + key[i + l], d);
          KG_UNROLL for (u32 k = 0; k < together; ++k) sum[k] =
              multiply_add(element, *reinterpret_cast<const Vector*>(query[r + k] + d), sum[k]);
        }
        KG_UNROLL for (u32 k = 0; k < together; ++k) product[k][l] = sum[k];
      }
      for (u32 k = 0; k < together; ++k) add_up(product[k], logits[r + k] + i);
    }
  }

  KG_DEVICE void set_logits(u32 r, u32 first, u32 count) {
    const u32 t = tile.query(r);
    const AttentionHead<T, K> head = tile.head(r);
    const bool is_masked = x.mask && t < head.queries;
    if (is_masked) {
      const i64* step = x.shape.mask;
      const T* const from = x.mask + head.batch * step[0] + head.head * step[1] + t * step[2];
      for (u32 i = 0; i < count; ++i) added[i] = widen(from[static_cast<i64>(first + i) * step[3]]);
    }
    Base::set_logits(r, first, x.shape, x.alibi_slopes ? head.slope : 0.0f,
                     {static_cast<i32>(head.position(t)), static_cast<i32>(head.first_key(t)),
                      static_cast<i32>(head.end_key(t))},
                     is_masked);
  }

  /// Adds the weighted values of the keys that a row sees; the others are not multiplied.
  template <u32 together>
  KG_DEVICE void add_values(u32 r, u32 count) {
    u32 d = 0;
    for (; d + 3 * lanes < width; d += 4 * lanes) add_vectors<together, 4>(r, count, d);
    for (; d + lanes < width; d += 2 * lanes) add_vectors<together, 2>(r, count, d);
    if (d < width) add_vectors<together, 1>(r, count, d);
  }

  template <u32 together, u32 vectors>
  KG_DEVICE void add_vectors(u32 r, u32 count, u32 d) {
    Vector sum[together][vectors] = {};
    for (u32 i = 0; i < count; ++i) {
      bool is_seen = false;
      KG_UNROLL for (u32 k = 0; k < together; ++k) is_seen |= logits[r + k][i] != 0;
      if (!is_seen) continue;
      const K* const from = x.v + value[i];
      Vector element[vectors];
      KG_UNROLL for (u32 v = 0; v + 1 < vectors; ++v) element[v] = load_vector(from + d + v * lanes);
      element[vectors - 1] = load(from, d + (vectors - 1) * lanes);
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        const f32 p = logits[r + k][i];
        if (together > 1 && p == 0) continue;
        KG_UNROLL for (u32 v = 0; v < vectors; ++v) sum[k][v] =
            multiply_add(element[v], Vector(p), sum[k][v]);
      }
    }
    KG_UNROLL for (u32 k = 0; k < together; ++k) {
      KG_UNROLL for (u32 v = 0; v < vectors; ++v) * reinterpret_cast<Vector*>(sums[r + k] + d + v * lanes) +=
          sum[k][v];
    }
  }
};

}  // namespace kg::detail
