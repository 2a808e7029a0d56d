#ifndef KERNELGEN_C_ATTENTION_H
#define KERNELGEN_C_ATTENTION_H
/* Forward attention: f16, bf16, f32. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Optional arguments of kernelgen_attention. Start from kernelgen_attention_options_init(); a member that keeps its
 * value, and a NULL tensor, has no effect. B, H, T, D are q's dims; S is the number of keys. */
typedef struct kernelgen_attention_options {
  size_t size; /* sizeof this struct in the caller's build, for versioning */
  /* Factor of the products of q and k; 0: 1 / sqrt(D). */
  double scale;
  /* Logit soft-capping: cap * tanh(logit / cap) replaces each logit; 0: no cap. */
  double soft_cap;
  /* Not 0: a query does not attend to keys after its own position. */
  int causal;
  /* Sliding window: maximum number of keys before a query's own position; -1: unlimited. */
  int64_t window_left;
  /* Sliding window: maximum number of keys after a query's own position; -1: unlimited. */
  int64_t window_right;
  /* Added to the logits: the dtype of k and v if they have 16 bits, else q's; with a shape that broadcasts to
   * [B, H, T, S]. */
  const kernelgen_tensor* mask;
  /* ALiBi: slope * distance is subtracted from each logit. f32 [H] or [B, H]. */
  const kernelgen_tensor* alibi_slopes;
  /* Attention sinks: the logit of one additional key per head, whose value is 0. f32 [H]. */
  const kernelgen_tensor* sinks;
  /* Number of valid rows of each sequence, the leading ones of its T queries and S keys; integers [B]. */
  const kernelgen_tensor* query_lengths;
  const kernelgen_tensor* key_lengths;
  /* Paged KV cache: page indices [B, pages per sequence]. k and v are [pages, heads of k, page size, D]. Key
   * j of sequence b is row j % page size of page block_table[b, j / page size], and S is pages per sequence *
   * page size. */
  const kernelgen_tensor* block_table;
  /* Written if it is not NULL: the log-sum-exp of each row, f32 [B, H, T], contiguous. It must not overlap
   * another tensor. */
  const kernelgen_tensor* log_sum_exp;
} kernelgen_attention_options;

/* Returns the default options. */
static inline kernelgen_attention_options kernelgen_attention_options_init(void) {
  /* NOLINTNEXTLINE(modernize-use-nullptr): C11 has no nullptr */
  kernelgen_attention_options options = {sizeof options, 0.0, 0.0, 0, -1, -1, 0, 0, 0, 0, 0, 0, 0};
  return options;
}

/* result[b, h, t] = sum over j of softmax_j(logit(t, j)) * v[b, h / group, j], with logit(t, j) = scale *
 * dot(q[b, h, t], k[b, h / group, j]). The logit is then soft-capped, slope * distance is subtracted, and the
 * mask's element is added, in this order. q is [B, H, T, D]; k and v are [B, heads of k, S, D] with H = group
 * * heads of k, any strides; D is 1 to 256. k and v have q's dtype, or both are f8e4m3, or q is f32 and both
 * are f16 or bf16; then q and the result may be rounded to that dtype. Products and sums are f32; the result is
 * rounded once.
 *
 * The last query is aligned with the last key: query t of a sequence with n queries has position t + keys - n
 * among its keys. A key whose logit is -inf counts as masked. Nothing of a masked key affects the query's
 * row, not even NaN. A query without visible keys, and a row beyond its sequence's length, yields zeros. Its
 * log-sum-exp is the sink's logit, or -inf without sinks.
 *
 * `options` may be NULL. `out` has q's shape and dtype; its last dim has stride 1, its other strides are
 * arbitrary.
 *
 * Lengths and block_table are u8, u32, i16, i32 or i64. A length that is negative or too large makes its
 * sequence empty; a page index that is negative or too large masks the page's keys. Both are reported as
 * KERNELGEN_INDEX_OUT_OF_RANGE by the next wait for the stream. Errors: KERNELGEN_INVALID_ARGUMENT for shapes
 * and dtypes that do not match, D = 0 or over 256, extents over 2^31 - 1, non-finite scalars, and options
 * with a `size` that this version of the library does not know. */
kernelgen_status kernelgen_attention(const kernelgen_tensor* q, const kernelgen_tensor* k,
                                     const kernelgen_tensor* v, const kernelgen_attention_options* options,
                                     const kernelgen_tensor* out, const kernelgen_stream* stream,
                                     kernelgen_tensor** result);

#ifdef __cplusplus
}
#endif

#endif
