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
