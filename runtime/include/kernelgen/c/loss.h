#ifndef KERNELGEN_C_LOSS_H
#define KERNELGEN_C_LOSS_H
/* What a model's answers are worth, along the last dim, of any length but 0: bf16, f16, f32, f64, f8e4m3. Included by
 * operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* log of the sum of exp(logits), less logits[target], of each row: logits [..., classes] of any layout and rank 1 or
 * more, targets [...] of u8, u32, i16, i32 or i64. The loss is of the logits' dtype, [...], the log-sum-exp f32, for f64
 * f64. Computed in f32, f64's in f64, and rounded once, without loss for logits far from zero.
 *
 * `out_loss` and `out_log_sum_exp` are written where they are not NULL, each memory of its own; with `out_loss`, `loss`
 * may be NULL. The log-sum-exp is optional: with NULL for both `out_log_sum_exp` and `log_sum_exp` there is none.
 *
 * A target that is its type's largest value (255 for u8) gives 0. So does any other outside 0 … classes - 1, and the
 * next wait for the stream, or copy to the host by it, gives KERNELGEN_INDEX_OUT_OF_RANGE: see
 * kernelgen_stream_synchronize. In a row with NaN all else is NaN. A row whose greatest logit is +inf has the
 * log-sum-exp +inf and the loss +inf, or NaN where the target's logit is +inf; one of -inf alone -inf and NaN. Of the
 * target's logit -inf in another row the loss is +inf.
 *
 * Errors: KERNELGEN_INVALID_ARGUMENT for rows without a logit, too. */
kernelgen_status kernelgen_cross_entropy(const kernelgen_tensor* logits, const kernelgen_tensor* targets,
                                         const kernelgen_tensor* out_loss,
                                         const kernelgen_tensor* out_log_sum_exp,
                                         const kernelgen_stream* stream, kernelgen_tensor** loss,
                                         kernelgen_tensor** log_sum_exp);

#ifdef __cplusplus
}
#endif

#endif
