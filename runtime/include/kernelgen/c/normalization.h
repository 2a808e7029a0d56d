#ifndef KERNELGEN_C_NORMALIZATION_H
#define KERNELGEN_C_NORMALIZATION_H
/* Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
 * more. `out` may be x itself if x is contiguous. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* exp(x - max) / sum of exp(x - max), and its logarithm. */
kernelgen_status kernelgen_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_log_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result);
/* softmax of scale · x + slope · mask, computed without rounding those; for x of f64 in f64. `mask`, `slopes` and
 * `sinks` may be NULL. `mask` is f16 or f32 and is broadcast to x's shape by NumPy's rule; -inf masks an element.
 * `slopes`, f32 [heads], where x is [..., heads, rows, columns], are factors of the mask, as in ALiBi. `sinks`, f32
 * [heads], are an element more in each row, which is not scaled and whose result is not stored. A row whose elements
 * are all masked gives NaN, with a sink zeros. */
kernelgen_status kernelgen_scaled_softmax(const kernelgen_tensor* x, double scale,
                                          const kernelgen_tensor* mask, const kernelgen_tensor* slopes,
                                          const kernelgen_tensor* sinks, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result);
/* x / sqrt(mean of x^2 + eps) * weight; `weight` has the length of the last dim and x's dtype. */
kernelgen_status kernelgen_rms_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight, double eps,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);
/* (x - mean) / sqrt(variance + eps) * weight + bias; `weight` and `bias` as in kernelgen_rms_norm. */
kernelgen_status kernelgen_layer_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                      const kernelgen_tensor* bias, double eps, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* rms_norm and layer_norm without weights. */
kernelgen_status kernelgen_plain_rms_norm(const kernelgen_tensor* x, double eps, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_plain_layer_norm(const kernelgen_tensor* x, double eps,
                                            const kernelgen_tensor* out, const kernelgen_stream* stream,
                                            kernelgen_tensor** result);
/* x / max(sqrt(sum of x²), eps): rows of length 1. eps as in kernelgen_rms_norm. */
kernelgen_status kernelgen_l2_norm(const kernelgen_tensor* x, double eps, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result);
/* plain_layer_norm of groups of channels, together with the dims after those: x is [batch, channels, ...], and
 * the channels are a multiple of `groups`. */
kernelgen_status kernelgen_group_norm(const kernelgen_tensor* x, int64_t groups, double eps,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);

/* Computes x + residual, rounded to their dtype, and rms_norm or layer_norm of the unrounded sum, in one pass
 * over memory. `residual` has x's shape and dtype, in any layout. `out_sum` and `out_norm` are written if
 * they are not NULL; then `sum` or `norm` may be NULL. Each output may be x or residual itself (same memory
 * and layout), but not both the same one. Neither may overlap a weight. */
kernelgen_status kernelgen_add_rms_norm(const kernelgen_tensor* x, const kernelgen_tensor* residual,
                                        const kernelgen_tensor* weight, double eps,
                                        const kernelgen_tensor* out_sum, const kernelgen_tensor* out_norm,
                                        const kernelgen_stream* stream, kernelgen_tensor** sum,
                                        kernelgen_tensor** norm);
kernelgen_status kernelgen_add_layer_norm(const kernelgen_tensor* x, const kernelgen_tensor* residual,
                                          const kernelgen_tensor* weight, const kernelgen_tensor* bias,
                                          double eps, const kernelgen_tensor* out_sum,
                                          const kernelgen_tensor* out_norm, const kernelgen_stream* stream,
                                          kernelgen_tensor** sum, kernelgen_tensor** norm);

#ifdef __cplusplus
}
#endif

#endif
