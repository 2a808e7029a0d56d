/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_ROPE_H
#define KERNELGEN_C_ROPE_H
/* Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
 * cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many positions as x; d
 * is even. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x: [batch, heads, positions, d]. Elements i and i + d/2 form a pair (a, b), which becomes (a · cos - b ·
 * sin, a · sin + b · cos). */
kernelgen_status kernelgen_rope(const kernelgen_tensor* x, const kernelgen_tensor* cos,
                                const kernelgen_tensor* sin, const kernelgen_tensor* out,
                                const kernelgen_stream* stream, kernelgen_tensor** result);
/* As rope, but elements 2i and 2i + 1 form a pair. */
kernelgen_status kernelgen_rope_i(const kernelgen_tensor* x, const kernelgen_tensor* cos,
                                  const kernelgen_tensor* sin, const kernelgen_tensor* out,
                                  const kernelgen_stream* stream, kernelgen_tensor** result);
/* As rope for x: [batch, positions, heads, d]. */
kernelgen_status kernelgen_rope_thd(const kernelgen_tensor* x, const kernelgen_tensor* cos,
                                    const kernelgen_tensor* sin, const kernelgen_tensor* out,
                                    const kernelgen_stream* stream, kernelgen_tensor** result);
/* Applies rope to queries and keys with the same angles, in one launch. The results are bit-identical to
 * those of two calls. q and k have one dtype and d and may differ in all other dims: [batch, heads,
 * positions, d] each. Results: `q_result`; `k_result`. */
kernelgen_status kernelgen_rope_qk(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                   const kernelgen_tensor* cos, const kernelgen_tensor* sin,
                                   const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,
                                   const kernelgen_stream* stream, kernelgen_tensor** q_result,
                                   kernelgen_tensor** k_result);
/* The same with rope_i. Results: `q_result`; `k_result`. */
kernelgen_status kernelgen_rope_i_qk(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                     const kernelgen_tensor* cos, const kernelgen_tensor* sin,
                                     const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,
                                     const kernelgen_stream* stream, kernelgen_tensor** q_result,
                                     kernelgen_tensor** k_result);
/* The same with rope_thd. Results: `q_result`; `k_result`. */
kernelgen_status kernelgen_rope_thd_qk(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                       const kernelgen_tensor* cos, const kernelgen_tensor* sin,
                                       const kernelgen_tensor* out_q, const kernelgen_tensor* out_k,
                                       const kernelgen_stream* stream, kernelgen_tensor** q_result,
                                       kernelgen_tensor** k_result);

#ifdef __cplusplus
}
#endif

#endif
