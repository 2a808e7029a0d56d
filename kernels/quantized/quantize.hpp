#pragma once
/// Quantizes f32 to blocks, byte for byte as ggml's quantize_row_*_ref.
#include "device/group.hpp"
#include "engines/spans.hpp"
#include "plan/abi.hpp"
#include "quantized/quantize_group.hpp"
#if KG_GPU
#include "quantized/quantize_staged_gpu.hpp"
#endif

namespace kg {

/// Quantizes blocks 0 … blocks - 1: the elements at from(i) to the block at to(i), or none if that is null.
/// All threads of a block must call it.
template <class W, class From, class To>
KG_DEVICE void quantize_blocks(u64 blocks, From from, To to) {
  constexpr u64 n = BlockFormat<W>::slices * slice_elements;
  if constexpr (n < 256) {
    for_each_span(blocks, block_size(), [&](u64 first, u64 count) KG_INLINE {
      if (thread_index() >= count) return;
      if (W* const y = to(first + thread_index())) detail::quantize_block(from(first + thread_index()), *y);
    });
  } else if constexpr (detail::is_by_bytes<W>) {
    const Group group(16);
    for_each_span(blocks, group.count, [&](u64 first, u64 count) KG_INLINE {
      if (group.index >= count) return;
      if (W* const y = to(first + group.index))
        detail::quantize_by_bytes(from(first + group.index), *y, group.rank, group.size);
    });
  } else {
    using G = detail::Grouping<W>;
    const Group group(G::groups);
    KG_SHARED detail::BlockDraft drafts[is_gpu ? block_threads / G::groups : 1];
    for_each_span(blocks, group.count, [&](u64 first, u64 count) KG_INLINE {
      W* const y = group.index < count ? to(first + group.index) : nullptr;
      const bool is_mine = y != nullptr;
      detail::BlockDraft& draft = drafts[is_mine ? group.index : 0];
      const f32* const mine = from(first + (is_mine ? group.index : 0));
      for (u32 g = group.rank; is_mine && g < G::groups; g += group.size)
        G::search(mine, static_cast<int>(g), draft);
      sync();
      f16 d{}, m{};
      for (u32 g = group.rank; is_mine && g < G::groups; g += group.size)
        G::finish(mine, static_cast<int>(g), draft, d, m);
      sync();
      if (is_mine) {
        detail::write_block(draft, *y, group.rank, group.size);
        if (group.rank == 0) {
          y->d = d;
          if (f16* const minimum = detail::minimum_of(*y)) *minimum = m;
        }
      }
      sync();
    });
  }
}

/// Quantizes x, `blocks` blocks of contiguous elements, to blocks of W.
template <class W>
KG_DEVICE void quantize(const f32* x, W* y, u64 blocks) {
  constexpr u64 n = BlockFormat<W>::slices * slice_elements;
#if KG_GPU
  if constexpr (n < 256) return detail::quantize_staged(x, y, blocks);
#endif
  quantize_blocks<W>(
      blocks, [=](u64 i) KG_INLINE { return x + i * n; }, [=](u64 i) KG_INLINE { return y + i; });
}

}  // namespace kg
