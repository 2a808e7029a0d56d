#ifndef KERNELGEN_C_WINDOW_H
#define KERNELGEN_C_WINDOW_H
/* Windows of convolutions and pools. Included by image.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A window's extents or steps, in elements. */
typedef struct kernelgen_size2 {
  int64_t height, width;
} kernelgen_size2;

/* Parameters of a convolution along one dim; the channels are divided into `groups` that are convolved separately.
 * Begin with kernelgen_window1_init(). */
typedef struct kernelgen_window1 {
  int64_t stride;
  int64_t padding; /* at both ends; contributes nothing, even if weights are not finite */
  int64_t dilation;
  int64_t output_padding; /* elements added at the end of a transposed convolution's result */
  int64_t groups;
} kernelgen_window1;
/* As kernelgen_window1, for the two dims of an image. Begin with kernelgen_window2_init(). */
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

#ifdef __cplusplus
}
#endif

#endif
