#ifndef KERNELGEN_C_IMAGE_H
#define KERNELGEN_C_IMAGE_H
/* Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
 * length] where noted. Each spatial dim has fewer than 2^31 elements. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Size of a window, or its strides. */
typedef struct kernelgen_size2 {
  int64_t height, width;
} kernelgen_size2;

/* Parameters of a 1-d convolution; the channels are divided into `groups` that are convolved independently.
 * Begin with kernelgen_window1_init(). */
typedef struct kernelgen_window1 {
  int64_t stride;
  int64_t padding; /* zeros at both ends */
  int64_t dilation;
  int64_t output_padding; /* transposed convolution: additional elements at the end */
  int64_t groups;
} kernelgen_window1;
/* As kernelgen_window1, for each dim of an image. Begin with kernelgen_window2_init(). */
typedef struct kernelgen_window2 {
  kernelgen_size2 stride, padding, dilation, output_padding;
  int64_t groups;
} kernelgen_window2;
/* Stride 1, without padding, dilation or groups. */
static inline kernelgen_window1 kernelgen_window1_init(void) {
  kernelgen_window1 window = {1, 0, 1, 0, 1};
  return window;
}
static inline kernelgen_window2 kernelgen_window2_init(void) {
  kernelgen_window2 window = {{1, 1}, {0, 0}, {1, 1}, {0, 0}, 1};
  return window;
}

/* 2-d convolution: [b, c, h, w] with weight [o, c / groups, kh, kw] gives [b, o, (h + 2 * padding - dilation
 * * (kh - 1) - 1) / stride + 1, and likewise for w] (cross-correlation, as in the common frameworks). bf16,
 * f16, f32, f64, f8e4m3; x and weight have the same dtype. Sums are in f32, in f64 for f64, and rounded once.
 * On GPUs, this function and the transposed convolution use cuDNN or cuBLASLt, or MIOpen, if the library is
 * installed and faster. The first call with given sizes, layout and alignment measures the candidates and
 * waits for the stream; make it before you capture a graph. The environment variables
 * KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and those of kernelgen_matmul select other libraries, or
 * `none`. */
kernelgen_status kernelgen_conv2d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                  kernelgen_window2 window, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);
/* As kernelgen_conv2d, for x: [b, c, l] and weight: [o, c / groups, k]. */
kernelgen_status kernelgen_conv1d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                  kernelgen_window1 window, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);
/* Transposed convolution, the gradient of conv2d with respect to its input: [b, c, h, w] with weight [c, o /
 * groups, kh, kw] gives [b, o, (h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1, and
 * likewise for w]. Dtypes as in kernelgen_conv2d. */
kernelgen_status kernelgen_conv_transpose2d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                            kernelgen_window2 window, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result);
/* As kernelgen_conv_transpose2d, for x: [b, c, l] and weight: [c, o / groups, k]. */
kernelgen_status kernelgen_conv_transpose1d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                            kernelgen_window1 window, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result);

/* Average over windows of `kernel` elements with the given `stride`, without padding: [b, c, h, w] becomes
 * [b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1]. Any dtype; integers
 * use a 64-bit sum, divided toward zero. */
kernelgen_status kernelgen_avg_pool2d(const kernelgen_tensor* x, kernelgen_size2 kernel,
                                      kernelgen_size2 stride, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* The largest element of each window; NaN propagates. Shapes and dtypes as in kernelgen_avg_pool2d. */
kernelgen_status kernelgen_max_pool2d(const kernelgen_tensor* x, kernelgen_size2 kernel,
                                      kernelgen_size2 stride, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);

/* [b, c, l] resampled to `length`: element i is x's min(floor(i * (l / length)), l - 1). Any dtype. */
kernelgen_status kernelgen_upsample_nearest1d(const kernelgen_tensor* x, int64_t length,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result);
/* [b, c, h, w] resampled to `size`, each dim as in kernelgen_upsample_nearest1d. */
kernelgen_status kernelgen_upsample_nearest2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result);
/* [b, c, h, w] resampled to `size` by bilinear interpolation of the four nearest elements, as in PyTorch.
 * With `align_corners` not 0, the centers of the corner elements of both images coincide, else the image
 * corners do. In the latter case, the scales (output size / input size), if not NULL, replace size / (h, w).
 * Any dtype; integers are computed in f64 and truncated. */
kernelgen_status kernelgen_upsample_bilinear2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                               int align_corners, const double* scale_height,
                                               const double* scale_width, const kernelgen_tensor* out,
                                               const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
