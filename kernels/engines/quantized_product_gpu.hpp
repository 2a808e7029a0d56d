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
  KG_DEVICE void load(const Bytes& block, u32 slice) {
    KG_UNROLL for (u32 w = 0; w < slice_words; ++w) word[w] = F::word(block, slice, w);
    KG_UNROLL for (u32 half = 0; half < (F::has_two_scales ? 2 : 1); ++half) {
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

KG_DEVICE void load_words(const QuantizedColumn& column, u32 slice, u32 (&x)[slice_words]) {
  KG_UNROLL for (u32 half = 0; half < 2; ++half) {
    const Quad quad = *reinterpret_cast<const Quad*>(column.words(slice, half));
    x[4 * half] = quad.x;
    x[4 * half + 1] = quad.y;
    x[4 * half + 2] = quad.z;
    x[4 * half + 3] = quad.w;
  }
}

/// What a wave has of a row ahead of its use: the blocks of one or two turns, in which each lane takes a slice.
template <class W>
struct StagedRow {
  static constexpr u32 lanes = 32;  ///< of a wave where copies go ahead
  static constexpr u32 turn_bytes = lanes / BlockFormat<W>::slices * sizeof(W);
  static constexpr u32 turns = turn_bytes <= 720 ? 2 : 1;
  static constexpr u32 slices = turns * lanes;
  static constexpr u32 words =
      (turns * turn_bytes + 15) / 16 * 4 + 8;  ///< the last word is read with the one behind it

  /// Copies `bytes` to `stage`, 16 at a time, from the address below that is a multiple of that. What lies outside the
  /// matrix, from `begin` to `end`, is not read.
  static KG_DEVICE void copy(u32* stage, const u8* from, u32 bytes, const u8* begin, const u8* end,
                             u32 lane) {
    const u32 skipped = skip(from), whole = skipped + bytes;
    const u8* const start = from - skipped;
    if (start >= begin && start + (whole + 15) / 16 * 16 <= end) {
      for (u32 at = lane * 16; at < whole; at += lanes * 16) copy_ahead(stage + at / 4, start + at, true);
      return;
    }
    u8* const to = reinterpret_cast<u8*>(stage);
    for (u32 i = skipped + lane; i < whole; i += lanes) to[i] = start[i];
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
  static constexpr u32 wanted = 28672 / (waves * detail::StagedRow<W>::words * 4);
  static constexpr u32 stages = !copies_ahead ? 1 : wanted > 6 ? 6 : wanted < 2 ? 2 : wanted;
  static constexpr u32 words = copies_ahead ? waves * stages * detail::StagedRow<W>::words : 1;
};

template <int columns, u32 waves, class W, class Prepare, class Column, class Store>
KG_DEVICE void multiply_rows(const BlockMatrix<W>& matrix, u64 first, u64 step, u32 wave, u32* shared,
                             const Prepare& prepare, const Column& column, const Store& store) {
  using F = BlockFormat<W>;
  const u32 lane = thread_index() & (wave_size() - 1);
  const u32 slices = matrix.slices;
  const auto add = [&](f32(&sum)[columns], const detail::Slice<W>& mine, u32 slice) KG_INLINE {
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
    const u32 row_length = slices / F::slices * static_cast<u32>(sizeof(W));
    const u8* const begin = matrix.row(matrix.row_bytes < 0 ? matrix.rows - 1 : 0);
    const u8* const end = matrix.row(matrix.row_bytes < 0 ? 0 : matrix.rows - 1) + row_length;
    const i64 row_step = static_cast<i64>(step) * matrix.row_bytes;
    u32* const ring = shared + wave * Stages::stages * Staged::words;
    const u32 rows = first < matrix.rows ? static_cast<u32>((matrix.rows - first + step - 1) / step) : 0;
    const u8* ahead = matrix.row(rows > 0 ? first : 0);
    u32 ahead_rows = rows, ahead_at = 0, ahead_stage = 0;
    const auto fetch = [&]() KG_INLINE {
      if (ahead_rows > 0) {
        constexpr u32 most = Staged::turns * Staged::turn_bytes;
        const u32 left = row_length - ahead_at;
        Staged::copy(ring + ahead_stage, ahead + ahead_at, left < most ? left : most, begin, end, lane);
        ahead_stage =
            ahead_stage + Staged::words < Stages::stages * Staged::words ? ahead_stage + Staged::words : 0;
        ahead_at += most;
        if (ahead_at >= row_length) {
          ahead_at = 0;
          ahead += row_step;
          --ahead_rows;
        }
      }
      end_copies();
    };
    KG_UNROLL for (u32 s = 0; s + 1 < Stages::stages; ++s) fetch();
    prepare();
    const u32 my_block = lane / F::slices * static_cast<u32>(sizeof(W));
    const u8* row = matrix.row(rows > 0 ? first : 0);
    u32 stage = 0;
    for (u32 r = 0; r < rows; ++r, row += row_step) {
      f32 sum[columns] = {};
      for (u32 at = 0; at < slices; at += Staged::slices) {
        fetch();
        await_earlier_copies<static_cast<int>(Stages::stages) - 1>();
        sync_wave();
        const u32 skipped = Staged::skip(row + at / F::slices * sizeof(W)) + my_block;
        KG_UNROLL for (u32 t = 0; t < Staged::turns; ++t) {
          const u32 slice = at + t * Staged::lanes + lane;
          if (slice >= slices) continue;
          detail::Slice<W> mine;
          mine.load(BlockInWords<alignof(W)>(ring + stage, skipped + t * Staged::turn_bytes),
                    lane % F::slices);
          add(sum, mine, slice);
        }
        sync_wave();
        stage = stage + Staged::words < Stages::stages * Staged::words ? stage + Staged::words : 0;
      }
      finish(sum, first + r * step);
    }
  } else {
    prepare();
    // Neighbouring rows, so that a wave has several of them under way.
    constexpr u32 together = columns > 1 ? 1 : 2;
    for (u64 row = first; row < matrix.rows; row += step * together) {
      f32 sum[together][columns] = {};
      for (u32 slice = lane; slice < slices; slice += wave_size()) {
        const u32 s = static_cast<u32>(slice % F::slices);
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
