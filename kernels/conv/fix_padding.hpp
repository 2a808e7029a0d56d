#pragma once
/// Corrects convolutions of libraries that multiply padding: an infinite weight times a padding zero gives
/// NaN. The same happens in the gaps between elements of transposed convolutions.
#include "conv/sum.hpp"
#include "device/histogram.hpp"
#include "engines/spans.hpp"

namespace kg {

/// Recomputes the NaN elements of a contiguous result. A block checks the weights of an output channel and only examines its
/// elements if a weight is not finite.
template <class T>
KG_DEVICE void conv_fix_padding(const T* x, const T* weight, T* y, const ConvShape& shape) {
  constexpr u32 loads = 8;  // in flight per thread: the check waits for memory
  KG_SHARED u32 has_nonfinite_weight;
  const u32 pixels = shape.batch * shape.rows.extent * shape.columns.extent;
  for_each_span(shape.image_channels.extent, 1, [&](u64 task, u64) KG_INLINE {
    const u32 channel = static_cast<u32>(task), group = divide(channel, shape.channels);
    const T* const kernel =
        weight + detail::kernel_offset(shape, group, channel - group * shape.out_channels);
    sync();  // an earlier channel's flag may still be read
    if (thread_index() == 0) has_nonfinite_weight = 0;
    sync();
    const u32 terms = detail::conv_terms(shape);
    bool is_finite = true;
    for (u32 i = thread_index(); i < terms; i += loads * block_size()) {
      T factor[loads];
      KG_UNROLL for (u32 n = 0; n < loads; ++n) {
        const u32 other = i + n * block_size();
        factor[n] = kernel[detail::ConvTerm(shape, other < terms ? other : i).weight(shape)];
      }
      KG_UNROLL for (const T each : factor) is_finite &= widen(each) - widen(each) == 0;
    }
    if (!is_finite) histogram_add(&has_nonfinite_weight);
    sync();
    if (has_nonfinite_weight == 0) return;
    const T* const image = x + group * shape.in_channels * shape.x_channel;
    KG_NO_UNROLL for (u32 i = thread_index(); i < pixels; i += block_size()) {
      const detail::ConvPixel pixel = detail::conv_pixel(shape, i);
      T& element = y[detail::output_offset(shape, pixel, channel)];
      if (const auto found = widen(element); found == found) continue;
      element = convert<T>(detail::conv_sum(image + pixel.batch * detail::x_batch(shape), kernel, shape,
                                            pixel.row, pixel.column));
    }
  });
}

}  // namespace kg
