#pragma once
#include <cstdint>
#include <optional>

#include "kernelgen/call.hpp"

/// Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim has
/// fewer than 2^31 elements.
namespace kernelgen {

/// A window's extents or steps, in elements.
struct Size2 {
  std::int64_t height, width;
};

/// Parameters of a convolution along one dim. Channels are split into `groups` that are convolved separately.
struct Window1 {
  std::int64_t stride = 1;
  std::int64_t padding = 0;  ///< at both ends; contributes nothing, even if weights are not finite
  std::int64_t dilation = 1;
  std::int64_t output_padding = 0;  ///< elements added at the end of a transposed convolution's result
  std::int64_t groups = 1;
};
/// As Window1, for the two dims of an image.
struct Window2 {
  Size2 stride{1, 1};
  Size2 padding{0, 0};
  Size2 dilation{1, 1};
  Size2 output_padding{0, 0};
  std::int64_t groups = 1;
};

/// Convolves [b, c, h, w] with the kernels [o, c / groups, kh, kw] (cross-correlation, as in common
/// frameworks). The result is [b, o, (h + 2 · padding - dilation · (kh - 1) - 1) / stride + 1, and w alike].
/// Floating point; x and weight have one dtype. Sums are computed in f32, for f64 in f64, and rounded once.
///
/// If the system has the libraries and they are faster, CUDA devices use cuDNN or cuBLASLt for f16, bf16, f32
/// and f64, also for transposed convolutions, and HIP devices use MIOpen for f16, bf16 and f32. The first
/// call for given sizes, layout and alignment measures them and waits for the stream; make such a call before
/// you capture a graph. KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and the environment variables of
/// matmul() name the libraries to use instead, or `none`. Throws Error(unsupported) if a named library cannot
/// be opened, and Error(device) with the error that a library reports.
Tensor conv2d(const Tensor& x, const Tensor& weight, const Window2& window = {},
              const CallOptions& options = {});
/// As conv2d for x: [b, c, l] and weight: [o, c / groups, k].
Tensor conv1d(const Tensor& x, const Tensor& weight, const Window1& window = {},
              const CallOptions& options = {});
/// The gradient of conv2d with respect to its input: [b, c, h, w] with the kernels [c, o / groups, kh, kw]
/// gives [b, o, (h - 1) · stride - 2 · padding + dilation · (kh - 1) + output_padding + 1, and w alike].
/// Dtypes as conv2d.
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Window2& window = {},
                        const CallOptions& options = {});
/// As conv_transpose2d for x: [b, c, l] and weight: [c, o / groups, k].
Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Window1& window = {},
                        const CallOptions& options = {});

/// The average of each window of `kernel` elements, with a step of `stride`, without padding: [b, c, h, w]
/// becomes [b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1]. Any dtype;
/// the average of integers is the 64-bit sum, divided toward zero.
Tensor avg_pool2d(const Tensor& x, Size2 kernel, Size2 stride, const CallOptions& options = {});
/// The largest element of each window; NaN if the window has one. Otherwise as avg_pool2d.
Tensor max_pool2d(const Tensor& x, Size2 kernel, Size2 stride, const CallOptions& options = {});

/// Resizes [b, c, l]: element i is x's element min(floor(i · (l / length)), l - 1). Any dtype.
Tensor upsample_nearest1d(const Tensor& x, std::int64_t length, const CallOptions& options = {});
/// Resizes [b, c, h, w], each dim as in upsample_nearest1d.
Tensor upsample_nearest2d(const Tensor& x, Size2 size, const CallOptions& options = {});

/// Output elements per input element.
struct Scale2 {
  std::optional<double> height, width;
};

/// Resizes [b, c, h, w], interpolating between the four nearest elements, as PyTorch does. With
/// `align_corners` the centers of the corner elements coincide, otherwise the corners of the images. In the
/// latter case a given `scale` is used instead of size / (h, w), from which it may differ by rounding. Any
/// dtype; integers are computed in f64 and truncated.
Tensor upsample_bilinear2d(const Tensor& x, Size2 size, bool align_corners = false, Scale2 scale = {},
                           const CallOptions& options = {});

}  // namespace kernelgen
