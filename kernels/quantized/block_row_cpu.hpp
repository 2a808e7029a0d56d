#pragma once
#include "engines/streaming_store_cpu.hpp"
#include "quantized/block_row.hpp"
#include "quantized/eight_slices_cpu.hpp"

namespace kg {

namespace detail {

/// Stores 16 elements; if `streamed`, by non-temporal stores, for which y must be aligned to the vector.
template <class T>
KG_DEVICE void store_elements(Floats16 x, T* y, bool streamed) {
  using Vector = f32 __attribute__((vector_size(16 * sizeof(T))));
  Vector bits;
  if constexpr (same<T, f16>) {
    using Halves16 = _Float16 __attribute__((vector_size(32)));
    bits = bit_cast<Vector>(__builtin_convertvector(x, Halves16));
  } else if constexpr (same<T, bf16>) {
    T each[16];
    for (int i = 0; i < 16; ++i) each[i] = convert<T>(x[i]);
    bits = load_as<Vector>(each);
  } else {
    bits = x;
  }
  if (streamed)
    __builtin_nontemporal_store(bits, reinterpret_cast<Vector*>(y));
  else
    __builtin_memcpy(y, &bits, sizeof(bits));
}

/// Converts the first `count` of the eight slices at `at`.
template <class W, class T>
KG_DEVICE void dequantize_eight(const u8* at, u32 count, T* y, bool streamed) {
  using F = BlockFormat<W>;
  using Bytes16 = u8 __attribute__((vector_size(16)));
  using SignedBytes16 = i8 __attribute__((vector_size(16)));
  using Ints16 = i32 __attribute__((vector_size(64)));
  struct Runs {
    Bytes16 run[4];
  };
  Floats8 scale[2], offset[2];
  KG_UNROLL for (u32 h = 0; h < 2; ++h) {
    scale[h] = BlockEight<W>::scale(at, h);
    if constexpr (F::has_offset) offset[h] = BlockEight<W>::offset(at, h);
  }
  KG_UNROLL for (u32 part = 0; part < 2; ++part) {
    Words16 bytes[2];
    BlockEight<W>::bytes(at, part, bytes);
    const Runs half[2] = {bit_cast<Runs>(bytes[0]), bit_cast<Runs>(bytes[1])};
    KG_UNROLL for (u32 l = 0; l < 4; ++l) {
      const u32 slice = 4 * part + l;
      if (slice >= count) return;
      KG_UNROLL for (u32 h = 0; h < 2; ++h) {
        const Bytes16 run = half[h].run[l];
        const Ints16 q = F::is_signed ? __builtin_convertvector(bit_cast<SignedBytes16>(run), Ints16)
                                      : __builtin_convertvector(run, Ints16);
        Floats16 x = __builtin_convertvector(q - F::bias, Floats16) * scale[h][slice];
        if constexpr (F::has_offset) x += offset[h][slice];
        store_elements(x, y + slice * slice_elements + 16 * h, streamed);
      }
    }
  }
}

}  // namespace detail

/// Whether n elements at y are written by non-temporal stores.
template <class T>
KG_DEVICE bool stores_wide(const T* y, u64 n) {
  return n * sizeof(T) >= detail::streaming_bytes && reinterpret_cast<u64>(y) % 64 == 0;
}

template <class W, class T>
KG_DEVICE void dequantize_slices(const Group&, const W* row, u64 begin, u64 end, T* y, bool is_wide) {
  constexpr u64 blocks = 8 / BlockFormat<W>::slices;
  u64 slice = begin;
  for (; slice + 8 <= end; slice += 8)
    detail::dequantize_eight<W>(reinterpret_cast<const u8*>(row + slice / BlockFormat<W>::slices), 8,
                                y + slice * slice_elements, is_wide);
  if (slice < end) {
    const u32 left = static_cast<u32>(end - slice);
    u8 last[blocks * sizeof(W)] = {};
    __builtin_memcpy(last, row + slice / BlockFormat<W>::slices, left / BlockFormat<W>::slices * sizeof(W));
    detail::dequantize_eight<W>(last, left, y + slice * slice_elements, false);
  }
  detail::end_stream(is_wide);
}

}  // namespace kg
