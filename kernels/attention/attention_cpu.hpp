#pragma once
/// Attention on CPUs: a block of rows processes its keys block by block (Dao et al., "FlashAttention", 2022;
/// online softmax by Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).
#include "attention/few_rows_cpu.hpp"

namespace kg::detail {

/// State of a block's rows, one row per lane.
struct AttentionLines {
  static constexpr u32 rows = AttentionBlock::rows;
  alignas(64) f32 row_max[rows], row_sum[rows], rescale[rows];
  alignas(64) f32 slope[rows];
  /// Position among the keys; range of visible keys
  alignas(64) i32 position[rows], first[rows], end[rows];
  i64 mask[rows];  ///< offset of the mask's element for key 0
};

/// The rows of a tile, packed into panels.
template <class T, class K>
struct AttentionRowsBlock {
  using Block = AttentionBlock;
  using B = Block::B;

  const Attention<T, K>& x;
  const AttentionTile<T, K>& tile;
  const u32 width, rows;  ///< elements per row; rows of the tile
  const u32 lanes;        ///< rows, rounded up to whole vectors
  Block& block;
  AttentionLines line;
  bool is_seen[Block::keys];  ///< for each key of the block; false if its page is outside the cache

  KG_DEVICE AttentionRowsBlock(const AttentionTile<T, K>& tile, Block& block)
      : x(tile.sequence.all),
        tile(tile),
        width(x.shape.width),
        rows(tile.count),
        lanes(round_up(rows, B::across)),
        block(block) {}

  KG_DEVICE void run() {
    const KeyRange& range = tile.keys;
    start();
    for (u32 j = range.begin; j < range.end; j += Block::keys) {
      const u32 count = range.end - j < Block::keys ? range.end - j : Block::keys;
      add_keys(j, count);
    }
    finish();
  }

  /// Rows past the end of the sequence, and padding rows, are zeros that see no keys.
  KG_DEVICE void start() {
    alignas(64) f32 row[attention_widest];
    for (u32 r = 0; r < lanes; ++r) {
      const u32 t = r < rows ? tile.query(r) : ~0u;
      const bool is_there = t < tile.sequence.queries;
      line.row_max[r] = negative_infinity();
      line.row_sum[r] = 0;
      line.slope[r] = 0;
      line.position[r] = line.first[r] = line.end[r] = 0;
      line.mask[r] = 0;
      if (is_there) {
        const AttentionHead<T, K> head = tile.head(r);
        line.slope[r] = head.slope;
        line.position[r] = static_cast<i32>(head.position(t));
        line.first[r] = static_cast<i32>(head.first_key(t));
        line.end[r] = static_cast<i32>(head.end_key(t));
        line.mask[r] = head.batch * x.shape.mask[0] + head.head * x.shape.mask[1] + t * x.shape.mask[2];
        widen_row(head.query_row(t), width, row);
      }
      f32* to = block.queries + r / B::across * B::across * width + r % B::across;
      for (u32 d = 0; d < width; ++d) to[d * B::across] = is_there ? row[d] : 0.0f;
    }
    for (u32 r = 0; r < round_up(rows, B::down); ++r)
      for (u32 d = 0; d < round_up(width, B::across); ++d) block.sums[r][d] = 0;
    // Zeros the padding of the last tiles, which is multiplied too.
    for (u32 i = 0; i < Block::keys; ++i) {
      for (u32 d = width; d < round_up(width, B::across); ++d) block.v[i][d] = 0;
      for (u32 r = lanes; r < round_up(lanes, B::down); ++r) block.logits[i][r] = 0;
    }
  }

  KG_DEVICE void add_keys(u32 first, u32 count) {
    const bool is_finite = load(first, count);
    for (u32 r = 0; r < lanes; r += B::across)
      for (u32 i = 0; i < count; i += B::down)
        multiply_tile<true, false>(block.k[i], block.queries + r * width, B::across, width,
                                   &block.logits[i][r]);
    set_logits(first, count);
    set_weights(count);
    if (!is_finite) {
      add_each(count);
      return;
    }
    for (u32 d = 0; d < width; d += B::across)
      for (u32 r = 0; r < rows; r += B::down)
        multiply_tile<false, true>(&block.logits[0][r], &block.v[0][d], Block::pitch, count,
                                   &block.sums[r][d]);
  }

  /// Loads a block's keys and values. Returns whether all values are finite.
  KG_DEVICE bool load(u32 first, u32 count) {
    bool is_finite = true;
    for (u32 i = 0; i < count; ++i) {
      const i64 k = tile.sequence.key_offset(x.shape.k, first + i);
      is_seen[i] = k != Attention<T, K>::none;
      if (is_seen[i]) {
        widen_row(x.k + k, width, block.k[i]);
        is_finite &= widen_row(x.v + tile.sequence.key_offset(x.shape.v, first + i), width, block.v[i]);
      } else {
        for (u32 d = 0; d < width; ++d) block.k[i][d] = block.v[i][d] = 0;
      }
    }
    for (u32 i = count; i < round_up(count, B::down); ++i)
      for (u32 d = 0; d < width; ++d) block.k[i][d] = 0;
    return is_finite;
  }

  /// Turns products into logits.
  __attribute__((noinline, min_vector_width(8 * vector_bytes))) void set_logits(u32 first, u32 count) {
    const AttentionShape& shape = x.shape;
    for (u32 i = 0; i < count; ++i) {
      f32* s = block.logits[i];
      const i32 j = static_cast<i32>(first + i);
      for (u32 r = 0; r < lanes; ++r) s[r] *= shape.scale;
      if (shape.soft_cap != 0)
        for (u32 r = 0; r < lanes; ++r) s[r] = shape.soft_cap * tanh(s[r] / shape.soft_cap);
      if (x.alibi_slopes)
        for (u32 r = 0; r < lanes; ++r) {
          const u32 ahead = static_cast<u32>(j) - static_cast<u32>(line.position[r]);
          s[r] -= line.slope[r] * static_cast<f32>(j < line.position[r] ? 0 - ahead : ahead);
        }
      if (x.mask)
        for (u32 r = 0; r < rows; ++r)
          if (line.end[r] > 0) s[r] += widen(x.mask[line.mask[r] + j * shape.mask[3]]);
      for (u32 r = 0; r < lanes; ++r)
        s[r] = (is_seen[i] & (j >= line.first[r]) & (j < line.end[r])) ? s[r] : negative_infinity();
    }
  }

  /// Turns logits into weights and rescales the rows' sums to the new maxima.
  __attribute__((noinline, min_vector_width(8 * vector_bytes))) void set_weights(u32 count) {
    // Independent sums: shorter chains of additions, and less rounding error.
    constexpr u32 side_by_side = 4;
    alignas(64) f32 top[AttentionLines::rows], sum[side_by_side][AttentionLines::rows];
    for (u32 r = 0; r < lanes; ++r) top[r] = line.row_max[r];
    for (u32 i = 0; i < count; ++i) {
      const f32* s = block.logits[i];
      for (u32 r = 0; r < lanes; ++r) top[r] = s[r] > top[r] ? s[r] : top[r];
    }
    bool is_same = true;
    for (u32 r = 0; r < lanes; ++r) {
      const f32 factor = attention_decay(line.row_max[r], top[r]);
      is_same &= factor == 1.0f;
      line.rescale[r] = factor;
      line.row_max[r] = top[r];
      for (u32 k = 0; k < side_by_side; ++k) sum[k][r] = 0;
    }
    for (u32 i = 0; i < count; ++i) {
      f32* s = block.logits[i];
      f32* to = sum[i % side_by_side];
      for (u32 r = 0; r < lanes; ++r) {
        s[r] = attention_decay(s[r], top[r]);
        to[r] += s[r];
      }
    }
    for (u32 r = 0; r < lanes; ++r)
      line.row_sum[r] =
          line.row_sum[r] * line.rescale[r] + ((sum[0][r] + sum[1][r]) + (sum[2][r] + sum[3][r]));
    if (is_same) return;
    for (u32 r = 0; r < rows; ++r)
      for (u32 d = 0; d < round_up(width, B::across); ++d) block.sums[r][d] *= line.rescale[r];
  }

  /// Adds values one by one, without multiplying keys that a row does not see.
  __attribute__((noinline)) void add_each(u32 count) {
    for (u32 i = 0; i < count; ++i)
      for (u32 r = 0; r < rows; ++r) {
        const f32 p = block.logits[i][r];
        if (p == 0) continue;
        for (u32 d = 0; d < width; ++d) block.sums[r][d] += p * block.v[i][d];
      }
  }

  KG_DEVICE void finish() {
    for (u32 r = 0; r < rows; ++r)
      store_attention_row(tile, r, AttentionState{line.row_max[r], line.row_sum[r]}, block.sums[r]);
  }
};

}  // namespace kg::detail

namespace kg {

template <class T, class K>
__attribute__((noinline, min_vector_width(8 * vector_bytes))) void attention_simt(const Attention<T, K>& x) {
  detail::AttentionBlock block;
  for (u32 index = block_index(); index < x.shape.tiles.count; index += grid_size()) {
    const detail::AttentionTile<T, K> tile(x, attention_cpu_rows, index);
    if (tile.count <= detail::AttentionFewRows<T, K>::most)
      detail::AttentionFewRows<T, K>(tile).run();
    else
      detail::AttentionRowsBlock<T, K>(tile, block).run();
  }
}

}  // namespace kg
