#ifndef KERNELGEN_C_ROPE_H
#define KERNELGEN_C_ROPE_H
/* Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin have
 * the same dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many
 * positions as x; d is even. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x: [batch, heads, positions, d]. Elements i and i + d/2 form a pair (a, b), which is rotated to (a * cos -
 * b * sin, a * sin + b * cos). */
kernelgen_status kernelgen_rope(const kernelgen_tensor* x, const kernelgen_tensor* cos,
                                const kernelgen_tensor* sin, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* As kernelgen_rope, but elements 2i and 2i + 1 form a pair. */
kernelgen_status kernelgen_rope_i(const kernelgen_tensor* x, const kernelgen_tensor* cos,
                                  const kernelgen_tensor* sin, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);
/* As kernelgen_rope, for x: [batch, positions, heads, d]. */
kernelgen_status kernelgen_rope_thd(const kernelgen_tensor* x, const kernelgen_tensor* cos,
                                    const kernelgen_tensor* sin, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);

/* kernelgen_rope of queries and keys with the same angles, in one launch; bit-identical to two separate
 * calls. q and k are [batch, heads, positions, d] with the same dtype and d; their other dims may differ.
 * `out_q` and `out_k` are written if they are not NULL, and must not overlap other tensors; then `q_result`,
 * or `k_result`, may be NULL. */
kernelgen_status kernelgen_rope_qk(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                   const kernelgen_tensor* cos, const kernelgen_tensor* sin,
                                   const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,
                                   const kernelgen_stream* stream, kernelgen_tensor** q_result,
                                   kernelgen_tensor** k_result);
/* As kernelgen_rope_qk, with kernelgen_rope_i. */
kernelgen_status kernelgen_rope_i_qk(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                     const kernelgen_tensor* cos, const kernelgen_tensor* sin,
                                     const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,
                                     const kernelgen_stream* stream, kernelgen_tensor** q_result,
                                     kernelgen_tensor** k_result);
/* As kernelgen_rope_qk, with kernelgen_rope_thd. */
kernelgen_status kernelgen_rope_thd_qk(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                       const kernelgen_tensor* cos, const kernelgen_tensor* sin,
                                       const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,
                                       const kernelgen_stream* stream, kernelgen_tensor** q_result,
                                       kernelgen_tensor** k_result);

#ifdef __cplusplus
}
#endif

#endif
