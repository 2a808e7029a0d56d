#ifndef KERNELGEN_C_IMAGE_H
#define KERNELGEN_C_IMAGE_H
/* Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
 * fewer than 2^31 elements. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Of a window or of its steps. */
typedef struct kernelgen_size2 {
  int64_t height, width;
} kernelgen_size2;

/* How a kernel slides over signals of one length; the channels are cut into `groups` that do not mix. Begin with
 * kernelgen_plain_window1(). */
typedef struct kernelgen_window1 {
  int64_t stride;
  int64_t padding; /* at both ends, where nothing is added up */
  int64_t dilation;
  int64_t output_padding; /* more elements at the end, of a transposed convolution */
  int64_t groups;
} kernelgen_window1;
/* As kernelgen_window1, for each dim of an image. Begin with kernelgen_plain_window2(). */
typedef struct kernelgen_window2 {
  kernelgen_size2 stride, padding, dilation, output_padding;
  int64_t groups;
} kernelgen_window2;
/* One step at a time, without padding, dilation or groups. */
static inline kernelgen_window1 kernelgen_plain_window1(void) {
  kernelgen_window1 window = {1, 0, 1, 0, 1};
  return window;
}
static inline kernelgen_window2 kernelgen_plain_window2(void) {
  kernelgen_window2 window = {{1, 1}, {0, 0}, {1, 1}, {0, 0}, 1};
  return window;
}

/* [b, c, h, w] with the kernels [o, c / groups, kh, kw] gives [b, o, (h + 2 * padding - dilation * (kh - 1) - 1) /
 * stride + 1, and w alike] (cross-correlation, as in the usual frameworks). bf16, f16, f32, f64, f8e4m3, x and
 * weight of one dtype; summed in f32, f64 in f64, and rounded once. On GPUs they go, as transposed ones do, to cuDNN or
 * cuBLASLt, or to MIOpen, where the system has them and they are faster: the first call of its sizes, layout and
 * alignment tries, and waits for the stream, so that one before a graph is captured is well spent. The environment
 * variables KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and those of kernelgen_matmul name other libraries, or
 * `none`. */
kernelgen_status kernelgen_conv2d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                  kernelgen_window2 window, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);
/* As kernelgen_conv2d for x: [b, c, l] and weight: [o, c / groups, k]. */
kernelgen_status kernelgen_conv1d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                  kernelgen_window1 window, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);
/* The gradient of conv2d by its input: [b, c, h, w] with the kernels [c, o / groups, kh, kw] gives [b, o, (h - 1) *
 * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1, and w alike]. Dtypes as kernelgen_conv2d. */
kernelgen_status kernelgen_conv_transpose2d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                            kernelgen_window2 window, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result);
/* As kernelgen_conv_transpose2d for x: [b, c, l] and weight: [c, o / groups, k]. */
kernelgen_status kernelgen_conv_transpose1d(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                            kernelgen_window1 window, const kernelgen_tensor* out,
                                            const kernelgen_stream* stream, kernelgen_tensor** result);

/* The average of windows of `kernel` elements, `stride` apart, without padding: [b, c, h, w] becomes
 * [b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1]. Any dtype; of integers
 * the 64-bit sum, divided toward zero. */
kernelgen_status kernelgen_avg_pool2d(const kernelgen_tensor* x, kernelgen_size2 kernel,
                                      kernelgen_size2 stride, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* The largest element of each window; NaN where there is one. As kernelgen_avg_pool2d. */
kernelgen_status kernelgen_max_pool2d(const kernelgen_tensor* x, kernelgen_size2 kernel,
                                      kernelgen_size2 stride, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);

/* [b, c, l] at another length: element i is x's min(floor(i * (l / length)), l - 1). Any dtype. */
kernelgen_status kernelgen_upsample_nearest1d(const kernelgen_tensor* x, int64_t length,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result);
/* [b, c, h, w] at another size, each dim as in kernelgen_upsample_nearest1d. */
kernelgen_status kernelgen_upsample_nearest2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                              const kernelgen_tensor* out, const kernelgen_stream* stream,
                                              kernelgen_tensor** result);
/* [b, c, h, w] at another size, each element between the four nearest ones. With `align_corners` not 0 the corner
 * elements of both sizes coincide, else the corners of the images do; then the scales, output elements to one of
 * the input, are used instead of size / (h, w) where they are not NULL. As PyTorch's. Any dtype; integers are
 * computed in f64 and truncated. */
kernelgen_status kernelgen_upsample_bilinear2d(const kernelgen_tensor* x, kernelgen_size2 size,
                                               int align_corners, const double* scale_height,
                                               const double* scale_width, const kernelgen_tensor* out,
                                               const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
