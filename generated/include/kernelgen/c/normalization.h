/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_NORMALIZATION_H
#define KERNELGEN_C_NORMALIZATION_H
/* Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
 * Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
 * contiguous. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* exp(x - max) / sum of exp(x - max). */
kernelgen_status kernelgen_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result);
/* softmax of scale · x + slope · mask, computed without rounding those; for x of f64 in f64. A row whose
 * elements are all masked gives NaN, with a sink zeros. `mask`: f16 or f32, broadcast to x's shape by
 * NumPy's rule; -inf masks an element. `slopes`: f32 [heads], where x is [..., heads, rows, columns]:
 * factors of the mask, as in ALiBi. `sinks`: f32 [heads]: an additional logit of each row, which is not
 * scaled and whose result is not stored. */
kernelgen_status kernelgen_scaled_softmax(const kernelgen_tensor* x, double scale,
                                          const kernelgen_tensor* mask, const kernelgen_tensor* slopes,
                                          const kernelgen_tensor* sinks, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result);
/* The logarithm of softmax, computed without rounding softmax first. */
kernelgen_status kernelgen_log_softmax(const kernelgen_tensor* x, const kernelgen_tensor* out,
                                       const kernelgen_stream* stream, kernelgen_tensor** result);
/* x / sqrt(mean of x² + eps) · weight. `weight` has the last dim's length and x's dtype. eps is rounded to
 * f32, or is f64 for x of f64, and must then be finite and not negative. */
kernelgen_status kernelgen_rms_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight, double eps,
                                    const kernelgen_tensor* out, const kernelgen_stream* stream,
                                    kernelgen_tensor** result);
/* (x - mean) / sqrt(variance + eps) · weight + bias, where the variance is the mean of the squared
 * deviations from the mean. `weight`, `bias` and eps as in rms_norm. */
kernelgen_status kernelgen_layer_norm(const kernelgen_tensor* x, const kernelgen_tensor* weight,
                                      const kernelgen_tensor* bias, double eps, const kernelgen_tensor* out,
                                      const kernelgen_stream* stream, kernelgen_tensor** result);
/* rms_norm and layer_norm without weights. */
kernelgen_status kernelgen_plain_rms_norm(const kernelgen_tensor* x, double eps, const kernelgen_tensor* out,
                                          const kernelgen_stream* stream, kernelgen_tensor** result);
kernelgen_status kernelgen_plain_layer_norm(const kernelgen_tensor* x, double eps,
                                            const kernelgen_tensor* out, const kernelgen_stream* stream,
                                            kernelgen_tensor** result);
/* x / max(sqrt(sum of x²), eps): rows of norm 1. eps as in rms_norm. */
kernelgen_status kernelgen_l2_norm(const kernelgen_tensor* x, double eps, const kernelgen_tensor* out,
                                   const kernelgen_stream* stream, kernelgen_tensor** result);
/* plain_layer_norm of groups of channels, together with the dims after those: x is [batch, channels, ...],
 * and the channels are a multiple of `groups`. */
kernelgen_status kernelgen_group_norm(const kernelgen_tensor* x, int64_t groups, double eps,
                                      const kernelgen_tensor* out, const kernelgen_stream* stream,
                                      kernelgen_tensor** result);
/* x + residual and its rms_norm, in one pass over memory. `residual` has x's shape and dtype, in any
 * layout; `weight` and eps as in rms_norm. Results: `sum`, x + residual, rounded to their dtype; `norm`,
 * norm of the sum before that rounding. */
kernelgen_status kernelgen_add_rms_norm(const kernelgen_tensor* x, const kernelgen_tensor* residual,
                                        const kernelgen_tensor* weight, double eps,
                                        const kernelgen_tensor* out_sum, const kernelgen_tensor* out_norm,
                                        const kernelgen_stream* stream, kernelgen_tensor** sum,
                                        kernelgen_tensor** norm);
/* x + residual and its layer_norm, as add_rms_norm; `weight`, `bias` and eps as in layer_norm. Results:
 * `sum`, x + residual, rounded to their dtype; `norm`, norm of the sum before that rounding. */
kernelgen_status kernelgen_add_layer_norm(const kernelgen_tensor* x, const kernelgen_tensor* residual,
                                          const kernelgen_tensor* weight, const kernelgen_tensor* bias,
                                          double eps, const kernelgen_tensor* out_sum,
                                          const kernelgen_tensor* out_norm, const kernelgen_stream* stream,
                                          kernelgen_tensor** sum, kernelgen_tensor** norm);

#ifdef __cplusplus
}
#endif

#endif
