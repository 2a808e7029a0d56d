#pragma once
#include "kernelgen/call.hpp"

/// What a model's answers are worth, along the last dim, of any length but 0; floating point.
namespace kernelgen {

/// What cross_entropy gives.
struct CrossEntropy {
  Tensor loss;         ///< of the logits' dtype, one a row
  Tensor log_sum_exp;  ///< f32, for f64 f64, one a row; no tensor where it was not asked for
};

/// Where it works, what it writes to, and which results are wanted.
struct CrossEntropyOptions {
  Stream stream = {};
  /// Written instead of new tensors: contiguous, of the targets' shape, each memory of its own.
  const Tensor* loss = nullptr;
  const Tensor* log_sum_exp = nullptr;
  /// Whether a new tensor is made for it where there is none above.
  bool wants_log_sum_exp = false;
};

/// log Σ exp(logits) - logits[target] of each row: logits [..., classes] of any layout and rank 1 or more, targets [...]
/// of u8, u32, i16, i32 or i64. Computed in f32, f64's in f64, and rounded once, without loss for logits far from zero.
///
/// A target that is its type's largest value (255 for u8) gives 0. So does any other that is not in 0 … classes - 1,
/// and the next wait for the stream, or copy to the host by it, throws Error(index_out_of_range): see Stream. In a row
/// with NaN all else is NaN. A row whose greatest logit is +inf has the log-sum-exp +inf and the loss +inf, or NaN where
/// the target's logit is +inf; one of -inf alone -inf and NaN. Of the target's logit -inf in another row the loss is +inf.
/// Errors: rows without a logit.
CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets,
                           const CrossEntropyOptions& options = {});

}  // namespace kernelgen
