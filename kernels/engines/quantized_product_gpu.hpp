#pragma once
/// A wave takes rows, a lane a slice of each. Where memory is copied to shared memory past the registers it goes there in
/// accesses of 16 bytes whatever the blocks' size, several steps ahead; elsewhere lanes read their blocks as they lie,
/// several rows at a time.
#include "device/copy_ahead.hpp"
#include "engines/quantized_product.hpp"

namespace kg {

namespace detail {

/// A lane's slice of a row: q, and what its sums are multiplied with.
template <class W>
struct Slice {
  using F = BlockFormat<W>;
  u32 word[slice_words];
  f32 scale[2], offset[2];

  template <class Bytes>
  KG_DEVICE void load(const Bytes& block, int slice) {
    KG_UNROLL for (int w = 0; w < slice_words; ++w) word[w] = F::word(block, slice, w);
    KG_UNROLL for (int half = 0; half < (F::has_two_scales ? 2 : 1); ++half) {
      scale[half] = F::scale(block, slice, half);
      offset[half] = scale[half] * static_cast<f32>(-F::bias);
      if constexpr (F::has_offset) offset[half] += F::offset(block, slice, half);
    }
  }

  /// Its product with a slice of a column, given as words, sums and scale.
  KG_DEVICE f32 times(const u32 (&x)[slice_words], u32 sums, f32 d) const {
    i32 dot[2] = {};
    KG_UNROLL for (int w = 0; w < slice_words; ++w) dot[w / 4] = dot4(word[w], x[w], dot[w / 4]);
    const i32 sum[2] = {static_cast<i16>(sums), static_cast<i16>(sums >> 16)};
    constexpr bool needs_sums = F::has_offset || F::bias != 0;
    if constexpr (F::has_two_scales) {
      f32 y = fma(scale[0], static_cast<f32>(dot[0]), scale[1] * static_cast<f32>(dot[1]));
      if constexpr (needs_sums)
        y = fma(offset[0], static_cast<f32>(sum[0]), fma(offset[1], static_cast<f32>(sum[1]), y));
      return d * y;
    } else {
      f32 y = scale[0] * static_cast<f32>(dot[0] + dot[1]);
      if constexpr (needs_sums) y = fma(offset[0], static_cast<f32>(sum[0] + sum[1]), y);
      return d * y;
    }
  }
};

KG_DEVICE void load_words(const QuantizedColumn& column, u64 slice, u32 (&x)[slice_words]) {
  KG_UNROLL for (int half = 0; half < 2; ++half) {
    const Quad quad = *reinterpret_cast<const Quad*>(column.words(slice, half));
    x[4 * half] = quad.x;
    x[4 * half + 1] = quad.y;
    x[4 * half + 2] = quad.z;
    x[4 * half + 3] = quad.w;
  }
}

/// What a wave has of a step ahead of it: whole blocks, one a lane or (of several slices) shared by lanes.
template <class W>
struct StagedRow {
  static constexpr u32 block_bytes = sizeof(W), per_block = BlockFormat<W>::slices;
  static constexpr u32 lanes = 32;  ///< of a wave where copies go ahead
  static constexpr u32 chunks = (lanes / per_block * block_bytes + 15) / 16 + 1;
  static constexpr u32 words = chunks * 4 + 4;  ///< the last block's last word is read with what follows it

  /// Copies the step's blocks to `stage`, 16 bytes at a time; of chunks that reach outside the matrix what is inside.
  static KG_DEVICE void copy(u32* stage, const u8* from, u32 bytes, const u8* begin, const u8* end,
                             u32 lane) {
    const u32 skipped = skip(from);
    const u8* const start = from - skipped;
    for (u32 c = lane; c * 16 < skipped + bytes; c += lanes) {
      const u8* const chunk = start + c * 16;
      if (chunk >= begin && chunk + 16 <= end) {
        copy_ahead(stage + c * 4, chunk, true);
      } else {
        u8* const to = reinterpret_cast<u8*>(stage + c * 4);
        for (u32 i = 0; i < 16; ++i)
          if (chunk + i >= begin && chunk + i < end) to[i] = chunk[i];
      }
    }
  }
  static KG_DEVICE u32 skip(const u8* from) { return static_cast<u32>(reinterpret_cast<u64>(from) & 15u); }
};

/// The sum over a wave's lanes, which each of them gets.
KG_DEVICE f32 wave_sum(f32 x, u32 lane) {
  KG_UNROLL for (u32 mask = wave_size() / 2; mask > 0; mask /= 2) x += lane_value(x, lane ^ mask);
  return x;
}

}  // namespace detail

/// What a block has in shared memory for multiply_rows, of waves of `waves`.
template <class W, u32 waves>
struct ProductStages {
  static constexpr u32 wanted = 24576 / (waves * detail::StagedRow<W>::words * 4);
  static constexpr u32 stages = !copies_ahead ? 1 : wanted > 6 ? 6 : wanted < 2 ? 2 : wanted;
  static constexpr u32 words = copies_ahead ? waves * stages * detail::StagedRow<W>::words : 1;
};

template <int columns, u32 waves, class W, class Column, class Store>
KG_DEVICE void multiply_rows(const BlockMatrix<W>& matrix, u64 first, u64 step, u32 wave, u32* shared,
                             const Column& column, const Store& store) {
  using F = BlockFormat<W>;
  const u32 lane = thread_index() & (wave_size() - 1);
  const u32 slices = static_cast<u32>(matrix.slices), turns = (slices + wave_size() - 1) / wave_size();
  const auto add = [&](f32(&sum)[columns], const detail::Slice<W>& mine, u64 slice) KG_INLINE {
    KG_UNROLL for (int c = 0; c < columns; ++c) {
      const QuantizedColumn x = column(c);
      u32 words[slice_words];
      detail::load_words(x, slice, words);
      sum[c] += mine.times(words, *reinterpret_cast<const u32*>(x.sums(slice)), *x.scale(slice));
    }
  };
  const auto finish = [&](const f32(&sum)[columns], u64 row) KG_INLINE {
    KG_UNROLL for (int c = 0; c < columns; ++c) {
      const f32 total = detail::wave_sum(sum[c], lane);
      if (lane == 0) store(row, c, total);
    }
  };
  if constexpr (copies_ahead) {
    using Staged = detail::StagedRow<W>;
    using Stages = ProductStages<W, waves>;
    if (first >= matrix.rows) return;
    const u8* const end =
        matrix.row(matrix.row_bytes < 0 ? 0 : matrix.rows - 1) + slices / F::slices * sizeof(W);
    const u8* const begin = matrix.row(matrix.row_bytes < 0 ? matrix.rows - 1 : 0);
    u32* const ring = shared + wave * Stages::stages * Staged::words;
    const u32 total = static_cast<u32>((matrix.rows - first + step - 1) / step) * turns;
    u64 ahead_row = first;
    u32 ahead_turn = 0, ahead_stage = 0, ahead = 0;
    const auto fetch = [&]() KG_INLINE {
      if (ahead < total) {
        const u32 here = slices - ahead_turn * Staged::lanes,
                  count = here < Staged::lanes ? here : Staged::lanes;
        Staged::copy(ring + ahead_stage * Staged::words,
                     matrix.row(ahead_row) + ahead_turn * (Staged::lanes / F::slices * sizeof(W)),
                     count / F::slices * static_cast<u32>(sizeof(W)), begin, end, lane);
        if (++ahead_turn == turns) {
          ahead_turn = 0;
          ahead_row += step;
        }
        if (++ahead_stage == Stages::stages) ahead_stage = 0;
        ++ahead;
      }
      end_copies();
    };
    KG_UNROLL for (u32 s = 0; s + 1 < Stages::stages; ++s) fetch();
    u32 stage = 0;
    for (u64 row = first; row < matrix.rows; row += step) {
      f32 sum[columns] = {};
      for (u32 turn = 0; turn < turns; ++turn) {
        fetch();
        await_earlier_copies<static_cast<int>(Stages::stages) - 1>();
        sync_wave();
        const u32 slice = turn * Staged::lanes + lane;
        if (slice < slices) {
          const u8* const from = matrix.row(row) + turn * (Staged::lanes / F::slices * sizeof(W));
          const u32 skipped = Staged::skip(from) + lane / F::slices * static_cast<u32>(sizeof(W));
          detail::Slice<W> mine;
          mine.load(BlockInWords<alignof(W)>(ring + stage * Staged::words, skipped),
                    static_cast<int>(lane % F::slices));
          add(sum, mine, slice);
        }
        sync_wave();
        if (++stage == Stages::stages) stage = 0;
      }
      finish(sum, row);
    }
  } else {
    // Neighbouring rows, so that a wave has several of them under way.
    constexpr u32 together = columns > 4 ? 2 : 4;
    for (u64 row = first; row < matrix.rows; row += step * together) {
      f32 sum[together][columns] = {};
      for (u32 slice = lane; slice < slices; slice += wave_size()) {
        const int s = static_cast<int>(slice % F::slices);
        KG_UNROLL for (u32 r = 0; r < together; ++r) {
          const u64 mine_row = row + r * step < matrix.rows ? row + r * step : row;
          detail::Slice<W> mine;
          mine.load(BlockInMemory<alignof(W)>{matrix.row(mine_row) + slice / F::slices * sizeof(W)}, s);
          add(sum[r], mine, slice);
        }
      }
      KG_UNROLL for (u32 r = 0; r < together; ++r) if (row + r * step < matrix.rows)
          finish(sum[r], row + r * step);
    }
  }
}

}  // namespace kg
