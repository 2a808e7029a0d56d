#pragma once
/// Distribution of work over blocks, and non-temporal stores of results too large for the caches.
#include "device/dialect.hpp"

namespace kg::detail {

struct Share {
  u64 first, last;
};

/// This block's share of n elements, split at multiples of 64 so that blocks do not share cache lines.
KG_DEVICE Share share(u64 n) {
  const u64 lines = (n + 63) / 64;
  const u64 first = lines * block_index() / grid_size() * 64,
            last = lines * (block_index() + 1) / grid_size() * 64;
  return {first < n ? first : n, last < n ? last : n};
}

/// Results of this size are evicted before anyone reads them. Non-temporal stores save reading the lines
/// first, a third of a copy's traffic.
inline constexpr u64 streaming_bytes = u64(16) << 20;

/// Whether y is written by non-temporal stores. If it aliases an input, its lines are in the caches anyway.
template <class Out, class... In>
KG_DEVICE bool streams(const Out* y, u64 n, const In*... x) {
  return n * sizeof(Out) >= streaming_bytes &&
         ((static_cast<const void*>(y) != static_cast<const void*>(x)) && ...);
}

/// Makes non-temporal stores visible before the block is reported as complete.
KG_DEVICE void end_stream(bool streamed) {
#if defined(__x86_64__)
  if (streamed) __builtin_ia32_sfence();
#else
  (void)streamed;
#endif
}

typedef u32 Line __attribute__((ext_vector_type(8)));

/// Calls compute(target, first, count) so that all of y[0, n) is filled. When streamed, most targets are a
/// buffer in L1, which is then stored by non-temporal stores.
template <class Out, class Compute>
KG_DEVICE void write(Out* y, u64 n, bool streamed, Compute compute) {
  constexpr u64 lines = 4096 / sizeof(Line), count = 4096 / sizeof(Out);
  alignas(64) Out buffer[count];
  const u64 misaligned = reinterpret_cast<u64>(y) % 64;
  u64 step = !streamed ? n : misaligned ? (64 - misaligned) / sizeof(Out) : count;
  for (u64 i = 0; i < n; i += step, step = count) {
    if (step > n - i) step = n - i;
    const bool through_buffer = streamed && step == count;
    compute(through_buffer ? buffer : y + i, i, step);
    if (through_buffer)
      for (u64 k = 0; k < lines; ++k)
        __builtin_nontemporal_store(reinterpret_cast<const Line*>(buffer)[k],
                                    reinterpret_cast<Line*>(y + i) + k);
  }
  end_stream(streamed);
}

/// Copies n elements; whole cache lines use non-temporal stores.
template <class T>
KG_DEVICE void stream_span(const T* x, T* y, u64 n) {
  typedef Line Unaligned __attribute__((aligned(1)));
  constexpr u64 count = 64 / sizeof(T);
  const u64 misaligned = reinterpret_cast<u64>(y) % 64;
  u64 i = misaligned ? (64 - misaligned) / sizeof(T) : 0;
  if (i > n) i = n;
  __builtin_memcpy(y, x, i * sizeof(T));
  for (; i + count <= n; i += count) {
    const Unaligned* from = reinterpret_cast<const Unaligned*>(x + i);
    Line* to = reinterpret_cast<Line*>(y + i);
    __builtin_nontemporal_store(from[0], to);
    __builtin_nontemporal_store(from[1], to + 1);
  }
  __builtin_memcpy(y + i, x + i, (n - i) * sizeof(T));
}

}  // namespace kg::detail
