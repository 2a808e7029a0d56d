/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_IMAGE_H
#define KERNELGEN_C_IMAGE_H
/* Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
 * has fewer than 2^31 elements. Included by operations.h. */
#include "kernelgen/c/base.h"
#include "kernelgen/c/window.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Convolves [b, c, h, w] with the kernels [o, c / groups, kh, kw] (cross-correlation, as in common
 * frameworks). The result is [b, o, (h + 2 · padding - dilation · (kh - 1) - 1) / stride + 1, and w
 * alike]. Floating point; x and weight have one dtype. Sums are computed in f32, for f64 in f64, and
 * rounded once.
 *
 * If the system has the libraries and they are faster, CUDA devices use cuDNN or cuBLASLt for f16, bf16,
 * f32 and f64, also for transposed convolutions, and HIP devices use MIOpen for f16, bf16 and f32. The
 * first call for given sizes, layout and alignment measures them and waits for the stream; make such a
 * call before you capture a graph. KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and the environment
 * variables of matmul() name the libraries to use instead, or `none`. Errors: KERNELGEN_UNSUPPORTED if a
 * named library cannot be opened, and KERNELGEN_DEVICE_ERROR with the error that a library reports. */
kernelgen_status kernelgen_conv2d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                  kernelgen_window2 window, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);
/* As conv2d for x: [b, c, l] and weight: [o, c / groups, k]. */
kernelgen_status kernelgen_conv1d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                  kernelgen_window1 window, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);
/* The gradient of conv2d with respect to its input: [b, c, h, w] with the kernels [c, o / groups, kh, kw]
 * gives [b, o, (h - 1) · stride - 2 · padding + dilation · (kh - 1) + output_padding + 1, and w alike].
 * Dtypes as conv2d. */
kernelgen_status kernelgen_conv_transpose2d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                            kernelgen_window2 window, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result);
/* As conv_transpose2d for x: [b, c, l] and weight: [c, o / groups, k]. */
kernelgen_status kernelgen_conv_transpose1d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                            kernelgen_window1 window, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result);
/* The average of each window of `kernel` elements, with a step of `stride`, without padding: [b, c, h, w]
 * becomes [b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1]. Any
 * dtype; the average of integers is the 64-bit sum, divided toward zero. */
kernelgen_status kernelgen_avg_pool2d(const kernelgen_tensor* x, kernelgen_size2 kernel,
                                      kernelgen_size2 stride, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* The largest element of each window; NaN if the window has one. Otherwise as avg_pool2d. */
kernelgen_status kernelgen_max_pool2d(const kernelgen_tensor* x, kernelgen_size2 kernel,
                                      kernelgen_size2 stride, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* Resizes [b, c, l]: element i is x's element min(floor(i · (l / length)), l - 1). Any dtype. */
kernelgen_status kernelgen_upsample_nearest1d(const kernelgen_tensor* x, int64_t length,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result);
/* Resizes [b, c, h, w], each dim as in upsample_nearest1d. */
kernelgen_status kernelgen_upsample_nearest2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result);
/* Resizes [b, c, h, w], interpolating between the four nearest elements, as PyTorch does. With
 * `align_corners` the centers of the corner elements coincide, otherwise the corners of the images. In the
 * latter case a given `scale` is used instead of size / (h, w), from which it may differ by rounding. Any
 * dtype; integers are computed in f64 and truncated. */
kernelgen_status kernelgen_upsample_bilinear2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                               int align_corners, const double* scale_height,
                                               const double* scale_width, const kernelgen_tensor* out,
                                               const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
