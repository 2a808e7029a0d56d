/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_RECURRENCE_H
#define KERNELGEN_C_RECURRENCE_H
/* Linear recurrences: RWKV-6 and -7, Mamba and Mamba-2, gated linear attention, gated delta networks. f32.
 * Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* For each sequence b and head h, token by token, with a matrix S [V, K]:
 *
 * S = S · diag(decay[b, t, h]) + (S removal[b, t, h]) insertion[b, t, h]ᵀ + v[b, t, h] k[b, t, h]ᵀ, y[b,
 * t, h] = scale · S q[b, t, h], or with a bonus y[b, t, h] = scale · (S + v (bonus[h] · k)ᵀ) q of the S
 * before the token.
 *
 * `S removal` is of the S before the token, too. q and k are [B, T, H, K], or have G heads of which H is a
 * multiple; v is [B, T, H, V]; y is [B, T, H, V]. `state` [B, H, V, K], contiguous or with each S
 * transposed in memory, has the S before the first token, and those after the last when the work is done.
 * Operands are f32, of any layout; sums are in f32. K is at most 2048. `out` must not overlap an operand,
 * nor `state` any other but a `before` in the same memory. `decay`: [B, T, H, K], or [B, T, H, 1] for one
 * factor of all elements; 1 by default. `rates`: [H, K] or [H, 1]. If given, the factors are exp(decay ·
 * rates). `removal`: [B, T, H, K], both or neither. `bonus`: [H, K]: y is computed of the state before the
 * token's decay, and of the token weighted with the bonus. `delta`: [B, T, H, 1], without a removal and a
 * bonus: factors of the delta rule, by which v becomes delta · (v - S k), with the S after the token's
 * decay. `before`: [B, H, V, K], in state's layout: the S before the first token, in place of `state`'s,
 * which then is only written. `before_ids`: [B], integers, with a `before` of [N, H, V, K] apart from
 * `state`: which of its N a sequence starts from. The largest number of the dtype means zeros, and any
 * other without a state is reported when the stream is waited for (Code::index_out_of_range).
 * `discretize`: Mamba's discretization: Δ = softplus(decay), with a decay of [B, T, H, 1]. Requires rates;
 * v is multiplied by Δ. `tile_heads`: Whether head h takes head h mod G of q and k if those have G heads,
 * instead of h / (H / G). */
kernelgen_status kernelgen_linear_recurrence(
    const kernelgen_tensor* q, const kernelgen_tensor* k, const kernelgen_tensor* v,
    const kernelgen_tensor* state, const kernelgen_tensor* decay, const kernelgen_tensor* rates,
    const kernelgen_tensor* removal, const kernelgen_tensor* insertion, const kernelgen_tensor* bonus,
    double scale, const kernelgen_tensor* delta, const kernelgen_tensor* before,
    const kernelgen_tensor* before_ids, int discretize, int tile_heads, const kernelgen_tensor* out,
    const kernelgen_stream* stream, kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
