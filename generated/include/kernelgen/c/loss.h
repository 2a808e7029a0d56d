/* Written by bindings/generate.py from kernelgen/ops; do not edit. */
#ifndef KERNELGEN_C_LOSS_H
#define KERNELGEN_C_LOSS_H
/* Losses along the last dim, of any length but 0; floating point. Included by operations.h. */
#include "kernelgen/c/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* log Σ exp(logits) - logits[target] of each row. Logits are [..., classes], of any layout and rank 1 or
 * more; targets are [...] of u8, u32, i16, i32 or i64. Computed in f32, for f64 in f64, and rounded once,
 * without loss of precision for logits far from zero.
 *
 * A target equal to the largest value of its type (255 for u8) has the loss 0. So does any other target
 * outside 0 … classes - 1, and the next wait for the stream, or copy to the host in it, reports
 * KERNELGEN_INDEX_OUT_OF_RANGE.
 *
 * If a row contains NaN, its log-sum-exp is NaN, and so is its loss unless set to 0 as above. If its
 * greatest logit is +inf, the log-sum-exp and the loss are +inf, but the loss is NaN if the target's logit
 * is +inf. If all its logits are -inf, the log-sum-exp is -inf and the loss NaN. In other rows, a target's
 * logit of -inf gives the loss +inf. Errors: KERNELGEN_INVALID_ARGUMENT for rows without a logit. Results:
 * `loss`, one per row, of the logits' dtype; `log_sum_exp`, one per row, f64 for f64 logits, else f32;
 * empty unless requested. */
kernelgen_status kernelgen_cross_entropy(const kernelgen_tensor* logits, const kernelgen_tensor* targets,
                                         const kernelgen_tensor* out_loss,
                                         const kernelgen_tensor* out_log_sum_exp,
                                         const kernelgen_stream* stream, kernelgen_tensor** loss,
                                         kernelgen_tensor** log_sum_exp);

#ifdef __cplusplus
}
#endif

#endif
