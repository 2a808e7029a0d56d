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

/// How a kernel slides over signals of one length; the channels are cut into `groups` that do not mix.
struct Window1 {
  std::int64_t stride = 1;
  std::int64_t padding = 0;  ///< at both ends, where nothing is added up
  std::int64_t dilation = 1;
  std::int64_t output_padding = 0;  ///< more elements at the end, of a transposed convolution
  std::int64_t groups = 1;
};
/// As Window1, for each dim of an image.
struct Window2 {
  Size2 stride{1, 1};
  Size2 padding{0, 0};
  Size2 dilation{1, 1};
  Size2 output_padding{0, 0};
  std::int64_t groups = 1;
};

/// [b, c, h, w] with the kernels [o, c / groups, kh, kw] gives [b, o, (h + 2 · padding - dilation · (kh - 1) - 1) /
/// stride + 1, and w alike] (cross-correlation, as in the usual frameworks). Floating point, x and weight of one
/// dtype; summed in f32, f64 in f64, and rounded once.
///
/// On CUDA devices convolutions of f16, bf16, f32 and f64, transposed ones too, go to cuDNN or cuBLASLt, on HIP devices those
/// of f16, bf16 and f32 to MIOpen, where the system has them and they are faster: the first call of its sizes, layout and
/// alignment tries, and waits for the stream, so that one before a graph is captured is well spent. The environment
/// variables KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and those of matmul() name the libraries to use instead, or
/// `none`; naming one that cannot be opened is Error(unsupported), and Error(device) tells what they reported.
Tensor conv2d(const Tensor& x, const Tensor& weight, const Window2& window = {},
              const CallOptions& options = {});
/// As conv2d for x: [b, c, l] and weight: [o, c / groups, k].
Tensor conv1d(const Tensor& x, const Tensor& weight, const Window1& window = {},
              const CallOptions& options = {});
/// The gradient of conv2d by its input: [b, c, h, w] with the kernels [c, o / groups, kh, kw] gives [b, o, (h - 1) ·
/// stride - 2 · padding + dilation · (kh - 1) + output_padding + 1, and w alike]. Dtypes as conv2d.
Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Window2& window = {},
                        const CallOptions& options = {});
/// As conv_transpose2d for x: [b, c, l] and weight: [c, o / groups, k].
Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Window1& window = {},
                        const CallOptions& options = {});

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
