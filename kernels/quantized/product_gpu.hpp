#pragma once
/// One wave per row, one slice per lane and iteration. Blocks whose size is a multiple of a word are read
/// directly. Others are not aligned for any access: with asynchronous copies they are staged in shared memory
/// by 16-byte accesses, several stages ahead, and unpacked there; otherwise they are read by unaligned word
/// loads.
#include "device/async_copy.hpp"
#include "quantized/product.hpp"

namespace kg {

namespace detail {

/// A lane's slice of a row: q, scales and offsets (block_format.hpp). The bias is part of the offset here.
template <class W>
struct Slice {
  using F = BlockFormat<W>;
  u32 word[slice_words];
  f32 scale[2], offset[2];
  f32 up;  ///< of a wide scale: see SplitScale

  template <class Bytes>
  KG_DEVICE void load(const Bytes& block, u32 slice) {
    KG_UNROLL for (u32 w = 0; w < slice_words; ++w) word[w] = F::word(block, slice, w);
    if constexpr (F::has_wide_scale) {
      const SplitScale split(F::scale(block, slice, 0));
      scale[0] = split.scale;
      up = split.up;
      return;
    }
    KG_UNROLL for (u32 half = 0; half < (F::has_two_scales ? 2 : 1); ++half) {
      scale[half] = F::scale(block, slice, half);
      offset[half] = scale[half] * static_cast<f32>(-F::bias);
      if constexpr (F::has_offset) offset[half] += F::offset(block, slice, half);
    }
  }

  /// Adds the product with a slice of a column, given as words, sums and scale, to `sum`. The column's scale d is applied
  /// last, to a number below 2^120, so nothing overflows unless the product does.
  KG_DEVICE f32 add_to(f32 sum, const u32 (&x)[slice_words], u32 sums, f32 d) const {
    i32 dot[2] = {};
    KG_UNROLL for (int w = 0; w < slice_words; ++w) dot[w / 4] = dot4(word[w], x[w], dot[w / 4]);
    const i32 of_half[2] = {static_cast<i16>(sums), static_cast<i16>(sums >> 16)};
    constexpr bool needs_sums = F::has_offset || F::bias != 0;
    if constexpr (F::has_wide_scale) {
      static_assert(!needs_sums && !F::has_two_scales);
      return fma(d * (scale[0] * static_cast<f32>(dot[0] + dot[1])), up, sum);
    } else if constexpr (F::has_two_scales) {
      f32 y = fma(scale[0], static_cast<f32>(dot[0]), scale[1] * static_cast<f32>(dot[1]));
      if constexpr (needs_sums)
        y = fma(offset[0], static_cast<f32>(of_half[0]), fma(offset[1], static_cast<f32>(of_half[1]), y));
      return sum + d * y;
    } else {
      f32 y = scale[0] * static_cast<f32>(dot[0] + dot[1]);
      if constexpr (needs_sums) y = fma(offset[0], static_cast<f32>(of_half[0] + of_half[1]), y);
      return sum + d * y;
    }
  }
};

/// Where a column has its slice `slice`, in bytes: 32 bits, computed once for all columns.
struct SliceOffsets {
  u32 words[2], scale, sums;

  KG_DEVICE SliceOffsets(u32 slice, u32 slices)
      : words{slice * 16, slices * 16 + slice * 16},
        scale(slices * 32 + slice * 4),
        sums(slices * 36 + slice * 4) {}
};

/// Loads the words of a slice.
KG_DEVICE void load_words(const u8* column, const SliceOffsets& offsets, u32 (&x)[slice_words]) {
  KG_UNROLL for (u32 half = 0; half < 2; ++half) {
    const Quad quad = *reinterpret_cast<const Quad*>(column + offsets.words[half]);
    x[4 * half] = quad.x;
    x[4 * half + 1] = quad.y;
    x[4 * half + 2] = quad.z;
    x[4 * half + 3] = quad.w;
  }
}

/// A wave's staging buffers for a row.
template <class W>
struct StagedRow {
  static constexpr QuantizedStage stage{sizeof(W), BlockFormat<W>::slices};
  static constexpr u32 lanes = 32, iterations = stage.iterations, iteration_bytes = stage.iteration_bytes;
  static constexpr u32 slices = iterations * lanes, words = stage.words, ring = quantized_stages * words;

  /// Copies `bytes` to `stage`, 16 at a time, from the 16-byte boundary at or before `from`.
  static KG_DEVICE void copy(u32* stage, const u8* from, u32 bytes, u32 lane) {
    const u32 skipped = skip(from), whole = skipped + bytes;
    for (u32 at = lane * 16; at < whole; at += lanes * 16)
      async_copy(stage + at / 4, from - skipped + at, true);
  }
  /// copy() at an edge of the matrix's memory: does not read outside of `begin` to `end`.
  static KG_DEVICE void copy_edge(u32* stage, const u8* from, u32 bytes, const u8* begin, const u8* end,
                                  u32 lane) {
    const u32 skipped = skip(from), whole = skipped + bytes;
    for (u32 at = lane * 16; at < whole; at += lanes * 16) {
      const u8* const chunk = from - skipped + at;
      if (chunk >= begin && chunk + 16 <= end) {
        async_copy(stage + at / 4, chunk, true);
        continue;
      }
      u8* const to = reinterpret_cast<u8*>(stage) + at;
      KG_UNROLL for (int i = 0; i < 16; ++i) if (chunk + i >= begin && chunk + i < end) to[i] = chunk[i];
    }
  }
  static KG_DEVICE u32 skip(const u8* from) { return static_cast<u32>(reinterpret_cast<u64>(from) & 15u); }
};

/// Sums over the wave's lanes; a lane gets that of column lane % columns. At each step, lanes exchange half
/// of the columns that they hold: columns - 1 + log2(wave / columns) shuffles instead of columns · log2(wave).
template <int columns>
KG_DEVICE f32 wave_sums(const f32 (&of_lane)[columns], u32 lane) {
  f32 sum[columns];
  KG_UNROLL for (int c = 0; c < columns; ++c) sum[c] = of_lane[c];
  KG_UNROLL for (int kept = columns / 2; kept > 0; kept /= 2) {
    const bool upper = (lane & static_cast<u32>(kept)) != 0;
    KG_UNROLL for (int c = 0; c < kept; ++c) {
      const f32 low = sum[c], high = sum[c + kept];
      sum[c] = (upper ? high : low) + lane_xor(lane, upper ? low : high, static_cast<u32>(kept));
    }
  }
  KG_UNROLL for (u32 mask = columns; mask < wave_size(); mask *= 2) sum[0] += lane_xor(lane, sum[0], mask);
  // Clang sinks the last exchange into a following branch, where the other lanes would be inactive.
  return bit_cast<f32>(optimization_barrier(bit_cast<u32>(sum[0])));
}

}  // namespace detail

/// Whether rows are staged in shared memory.
template <class W>
inline constexpr bool are_staged = has_async_copy && block_alignment<W> < 4;

/// Bytes of shared memory that multiply_rows uses in a block of `threads`.
template <class W>
KG_DEVICE constexpr u32 ring_bytes(u32 threads) {
  return are_staged<W> ? quantized_ring_bytes(threads, detail::StagedRow<W>::stage) : 0;
}

template <int columns, class W, class Prepare, class Column, class Store>
KG_DEVICE void multiply_rows(const BlockMatrix<W>& matrix, u32 first, u32 step, u32 wave, u8* shared,
                             const Prepare& prepare, const Column& column, const Store& store) {
  using F = BlockFormat<W>;
  const u32 lane = thread_index() & (wave_size() - 1), slices = matrix.slices, rows = matrix.rows;
  // Adds the products of the wave's slices, one per lane, from slice `at` on.
  const auto add = [&](f32(&sum)[columns], const detail::Slice<W>& mine, u32 at) KG_INLINE {
    const detail::SliceOffsets offsets(at + lane, slices);
    KG_UNROLL for (int c = 0; c < columns; ++c) {
      const u8* x = column(c).at;
      // Several columns are in global memory, one is in shared memory.
      if constexpr (columns > 1) x = uniform_pointer(x);
      u32 words[slice_words];
      detail::load_words(x, offsets, words);
      sum[c] = mine.add_to(sum[c], words, *reinterpret_cast<const u32*>(x + offsets.sums),
                           *reinterpret_cast<const f32*>(x + offsets.scale));
      // The words of eight columns at once would not fit the registers.
      sched_barrier_every_4(c);
    }
  };
  const auto finish = [&](const f32(&sum)[columns], u32 row) KG_INLINE {
    const f32 total = detail::wave_sums(sum, lane);
    if (lane < columns) store(row, static_cast<int>(lane), total);
  };
  const i64 row_step = i64{step} * matrix.row_bytes;
  const u8* from = matrix.row(first < rows ? first : 0);
  if constexpr (are_staged<W>) {
    using Staged = detail::StagedRow<W>;
    const u32 row_length = slices / F::slices * static_cast<u32>(sizeof(W));
    u32* const ring = reinterpret_cast<u32*>(shared) + wave * Staged::ring;
    const u8* ahead = from;
    u32 ahead_row = first, ahead_at = 0, ahead_stage = 0;
    const auto fetch = [&]() KG_INLINE {
      if (ahead_row < rows) {
        constexpr u32 most = Staged::iterations * Staged::iteration_bytes;
        const u32 left = row_length - ahead_at;
        const u32 bytes = left < most ? left : most;
        // Between other rows there are at least 16 bytes of the matrix on both sides; a row that is repeated has none.
        if (ahead_row == 0 || ahead_row + 1 == rows || row_step == 0)
          Staged::copy_edge(ring + ahead_stage, ahead + ahead_at, bytes, ahead, ahead + row_length, lane);
        else
          Staged::copy(ring + ahead_stage, ahead + ahead_at, bytes, lane);
        ahead_stage = ahead_stage + Staged::words < Staged::ring ? ahead_stage + Staged::words : 0;
        ahead_at += most;
        if (ahead_at >= row_length) {
          ahead_at = 0;
          ahead += row_step;
          ahead_row += step;
        }
      }
      async_copy_commit();
    };
    KG_UNROLL for (u32 s = 0; s + 1 < quantized_stages; ++s) fetch();
    prepare();
    const u32 my_block = lane / F::slices * static_cast<u32>(sizeof(W));
    u32 stage = 0;
    for (u32 row = first; row < rows; row += step, from += row_step) {
      f32 sum[columns] = {};
      u32 misaligned = Staged::skip(from);
      for (u32 at = 0; at < slices; at += Staged::slices) {
        fetch();
        async_copy_wait<static_cast<int>(quantized_stages) - 1>();
        sync_wave();
        KG_UNROLL for (u32 t = 0; t < Staged::iterations; ++t) {
          const u32 of_wave = at + t * Staged::lanes;
          if (of_wave + lane >= slices) continue;
          detail::Slice<W> mine;
          mine.load(BlockInWords<block_alignment<W>>(ring + stage,
                                                     misaligned + my_block + t * Staged::iteration_bytes),
                    lane % F::slices);
          add(sum, mine, of_wave);
        }
        sync_wave();
        misaligned = (misaligned + Staged::iterations * Staged::iteration_bytes) & 15u;
        stage = stage + Staged::words < Staged::ring ? stage + Staged::words : 0;
      }
      finish(sum, row);
    }
  } else {
    prepare();
    constexpr u32 together = columns > 4 ? 1 : 2;  // iterations in flight
    for (u32 row = first; row < rows; row += step, from += row_step) {
      f32 sum[columns] = {};
      KG_NO_UNROLL for (u32 at = 0; at < slices; at += together * wave_size()) {
        detail::Slice<W> mine[together];
        KG_UNROLL for (u32 t = 0; t < together; ++t) {
          // Lanes past the end repeat the last slice.
          const u32 own = at + t * wave_size() + lane, slice = own < slices ? own : slices - 1;
          mine[t].load(BlockInMemory<block_alignment<W>>{from + u64{slice / F::slices} * sizeof(W)},
                       slice % F::slices);
        }
        KG_UNROLL for (u32 t = 0; t < together; ++t) if (at + t * wave_size() + lane < slices)
            add(sum, mine[t], at + t * wave_size());
      }
      finish(sum, row);
    }
  }
}

}  // namespace kg
