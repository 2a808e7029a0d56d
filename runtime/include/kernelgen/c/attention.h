#ifndef KERNELGEN_C_ATTENTION_H
#define KERNELGEN_C_ATTENTION_H
/* Attention, forward: f16, bf16, f32. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a call may leave out; a NULL or the value of kernelgen_plain_attention(), with which to begin, leaves it out. B, H,
 * T, D are q's dims, S is the number of keys. */
typedef struct kernelgen_attention_options {
  size_t size; /* of this struct, as the caller was compiled with it */
  /* Of products of q and k; 0: 1 / sqrt(D). */
  double scale;
  /* cap * tanh(logit / cap) in place of each logit; 0: no cap. */
  double soft_cap;
  /* Not 0: a query sees no key behind its own place. */
  int causal;
  /* Keys that a query sees at most before, and behind, its own place; -1: all. */
  int64_t before, after;
  /* Added to logits: q's dtype, of a shape that broadcasts to [B, H, T, S]. */
  const kernelgen_tensor* mask;
  /* ALiBi: slope * distance is taken off a logit. f32 [H] or [B, H]. */
  const kernelgen_tensor* slopes;
  /* Logits of keys that each head sees besides, whose values are 0. f32 [H]. */
  const kernelgen_tensor* sinks;
  /* Rows that each sequence has, the first of its T and S; ids [B]. */
  const kernelgen_tensor* query_lengths;
  const kernelgen_tensor* key_lengths;
  /* ids [B, pages each]: then k and v are a cache [pages, heads of k, rows of a page, D], in which key j of sequence b is
   * row j % rows of page pages[b, j / rows], and S is pages each * rows. */
  const kernelgen_tensor* pages;
  /* Written where it is not NULL: the log-sum-exp of each row, f32 [B, H, T], contiguous, memory of its own. */
  const kernelgen_tensor* log_sum_exp;
} kernelgen_attention_options;

/* All left out. */
static inline kernelgen_attention_options kernelgen_plain_attention(void) {
  /* NOLINTNEXTLINE(modernize-use-nullptr): C has none */
  kernelgen_attention_options options = {sizeof options, 0.0, 0.0, 0, -1, -1, 0, 0, 0, 0, 0, 0, 0};
  return options;
}

/* result[b, h, t] = sum over j of softmax_j(logit(t, j)) * v[b, h / group, j], where logit(t, j) is scale * q[b, h, t].k[b,
 * h / group, j], capped, then less slope * distance, then plus the mask's element. q is [B, H, T, D], k and v are [B, heads
 * of k, S, D] with H = group * heads of k, any strides; D is 1 to 256. k and v have q's dtype, or both are f8e4m3. Products
 * and sums are f32, the result is rounded once.
 *
 * Queries and keys end together: query t of a sequence of n stands at t + keys - n among its keys. A key whose logit is
 * -inf counts as not seen; nothing of a key that a query does not see reaches its row. A query that sees no key, and a row
 * behind its sequence's length, gives zeros and, without a sink, a log-sum-exp of -inf, with one the sink.
 *
 * `options` may be NULL. `out` has q's shape and dtype, elements of its last dim are neighbours, its other strides are any.
 *
 * Lengths and pages are u8, u32, i16, i32 or i64; one that is negative or too large makes a sequence without rows, or keys
 * that are not seen, and KERNELGEN_INDEX_OUT_OF_RANGE at the next wait for the stream. Errors:
 * KERNELGEN_INVALID_ARGUMENT for shapes and dtypes that do not fit, D = 0 or over 256, extents over 2^31 - 1, numbers that
 * are not finite, options of another size than a library of this version knows. */
kernelgen_status kernelgen_attention(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                     const kernelgen_tensor* v, const kernelgen_attention_options* options,
                                     const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
