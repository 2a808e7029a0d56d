#pragma once
/// Quantizes blocks of up to 128 elements, each by one thread, in shared memory: the elements and the blocks are contiguous in global
/// memory, where neighbouring threads access neighbouring words.
#include "device/pack.hpp"
#include "engines/spans.hpp"
#include "plan/quantized.hpp"
#include "quantized/quantize_block.hpp"

namespace kg::detail {

template <class W>
struct QuantizeStage {
  static constexpr u32 elements = quantize_staged_elements, n = BlockFormat<W>::slices * slice_elements,
                       blocks = elements / n;
  /// Elements of a block, and one more: threads that read the same element of neighbouring blocks use different banks.
  static constexpr u32 line = n + 1;

  f32 x[blocks * line];
  alignas(16) W y[blocks];

  KG_DEVICE void put(u32 element, f32 value) { x[element / n * line + element % n] = value; }

  KG_DEVICE void load(const f32* from, u32 count) {
    const u32 threads = block_size();
    if (!is_aligned<4>(from)) {
      for (u32 at = thread_index(); at < count; at += threads) put(at, from[at]);
      return;
    }
    constexpr u32 in_flight = 4;
    for (u32 first = thread_index() * 4; first < count; first += in_flight * threads * 4) {
      Pack<f32, 4> pack[in_flight];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
        const u32 at = first + k * threads * 4;
        pack[k] = load_pack<4>(from + (at < count ? at : first));
      }
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
        const u32 at = first + k * threads * 4;
        if (at >= count) continue;
        KG_UNROLL for (u32 e = 0; e < 4; ++e) put(at + e, pack[k].get(static_cast<int>(e)));
      }
    }
  }

  template <class Word>
  KG_DEVICE void store_words(void* to, u32 bytes) const {
    for (u32 at = thread_index(); at < bytes / sizeof(Word); at += block_size())
      static_cast<Word*>(to)[at] = reinterpret_cast<const Word*>(y)[at];
  }
  KG_DEVICE void store(W* to, u32 count) const {
    const u32 bytes = count * static_cast<u32>(sizeof(W));
    if (((reinterpret_cast<u64>(to) | bytes) & 3) == 0)
      store_words<u32>(to, bytes);
    else
      store_words<u8>(to, bytes);
  }
};

/// All threads of a block must call this.
template <class W>
KG_DEVICE void quantize_staged(const f32* x, W* y, u64 blocks) {
  using Stage = QuantizeStage<W>;
  KG_SHARED Stage stage;
  for_each_span(blocks, Stage::blocks, [&](u64 first, u64 count) KG_INLINE {
    stage.load(x + first * Stage::n, static_cast<u32>(count) * Stage::n);
    sync();
    for (u32 i = thread_index(); i < count; i += block_size())
      quantize_block(stage.x + i * Stage::line, stage.y[i]);
    sync();
    stage.store(y + first, static_cast<u32>(count));
    sync();
  });
}

}  // namespace kg::detail
