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
/* Returns q rotated, and stores k, rotated too, and v as rows of caches, in one launch: what a step of
 * decoding writes. q is [tokens, heads, d], k [tokens, key heads, d], v [tokens, n] and cos and sin are
 * [tokens, d / 2], or have more positions; all are f32 of any layout. Pairs are those of rope, or of
 * rope_i with `are_neighbours`. Token t is stored in row key_ids[t] of keys, [rows, key heads · d], and in
 * row value_ids[t] of values, [rows, n], each f32, f16 or bf16 with contiguous rows; ids are u8, u32, i16,
 * i32 or i64. Results are bit-identical to those of rope and set_rows; an id that is out of range, or the
 * largest value of its type, means the same as there. `out` may be q, if that is contiguous; k and v may
 * have no elements. */
kernelgen_status kernelgen_rope_set_rows(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                         const kernelgen_tensor* v, const kernelgen_tensor* cos,
                                         const kernelgen_tensor* sin, const kernelgen_tensor* keys,
                                         const kernelgen_tensor* key_ids, const kernelgen_tensor* values,
                                         const kernelgen_tensor* value_ids, int are_neighbours,
                                         const kernelgen_tensor* out, const kernelgen_stream* stream,
                                         kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
