#pragma once
#include <cstdint>
#include <optional>

#include "kernelgen/call.hpp"

/// Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
/// fewer than 2^31 elements.
namespace kernelgen {

/// Of a window or of its steps.
struct Size2 {
  std::int64_t height, width;
};

/// The average of windows of `kernel` elements, `stride` apart, without padding: [b, c, h, w] becomes
/// [b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1]. Any dtype; of
/// integers the 64-bit sum, divided toward zero.
Tensor avg_pool2d(const Tensor& x, Size2 kernel, Size2 stride, const CallOptions& options = {});
/// The largest element of each window; NaN where there is one. As avg_pool2d.
Tensor max_pool2d(const Tensor& x, Size2 kernel, Size2 stride, const CallOptions& options = {});

/// [b, c, l] at another length: element i is x's min(floor(i · (l / length)), l - 1). Any dtype.
Tensor upsample_nearest1d(const Tensor& x, std::int64_t length, const CallOptions& options = {});
/// [b, c, h, w] at another size, each dim as in upsample_nearest1d.
Tensor upsample_nearest2d(const Tensor& x, Size2 size, const CallOptions& options = {});

/// How many output elements there are to one of the input.
struct Scale2 {
  std::optional<double> height, width;
};

/// [b, c, h, w] at another size, each element between the four nearest ones. With `align_corners` the corner
/// elements of both sizes coincide, else the corners of the images do; then `scale`, where given, is used
/// instead of size / (h, w), from which it may differ by rounding. As PyTorch's. Any dtype; integers are
/// computed in f64 and truncated.
Tensor upsample_bilinear2d(const Tensor& x, Size2 size, bool align_corners, Scale2 scale = {},
                           const CallOptions& options = {});

}  // namespace kernelgen
