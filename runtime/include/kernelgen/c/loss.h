#ifndef KERNELGEN_C_LOSS_H
#define KERNELGEN_C_LOSS_H
/* Loss functions over the last dim, of any length but 0: bf16, f16, f32, f64, f8e4m3. Included by
 * operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Cross-entropy of each row: log of the sum of exp(logits), minus logits[target]. logits are [..., classes],
 * with any layout and rank 1 or more; targets are [...] of u8, u32, i16, i32 or i64. The loss [...] has the
 * logits' dtype; the log-sum-exp is f32, or f64 for f64 logits. Both are computed in f32, or f64 for f64, and
 * rounded once, without loss of accuracy for logits far from zero.
 *
 * `out_loss` and `out_log_sum_exp` are written if they are not NULL, and must not overlap other tensors; with
 * `out_loss`, `loss` may be NULL. The log-sum-exp is optional: it is omitted if `out_log_sum_exp` and
 * `log_sum_exp` are both NULL.
 *
 * A target equal to the largest value of its type (255 for u8) gives 0. So does any other target outside 0 …
 * classes - 1, and the next wait for the stream, or copy to the host through it, returns
 * KERNELGEN_INDEX_OUT_OF_RANGE: see kernelgen_stream_synchronize. A row with NaN has log-sum-exp NaN and, for
 * a valid target, loss NaN. A row with maximum +inf has log-sum-exp +inf, and loss +inf, or NaN if the
 * target's logit is +inf. A row of only -inf has log-sum-exp -inf and loss NaN. In any other row, a target
 * logit of -inf gives loss +inf.
 *
 * Errors: KERNELGEN_INVALID_ARGUMENT also for rows without logits. */
kernelgen_status kernelgen_cross_entropy(const kernelgen_tensor* logits, const kernelgen_tensor* targets,
                                         const kernelgen_tensor* out_loss,
                                         const kernelgen_tensor* out_log_sum_exp,
                                         const kernelgen_stream* stream, kernelgen_tensor** loss,
                                         kernelgen_tensor** log_sum_exp);

#ifdef __cplusplus
}
#endif

#endif
