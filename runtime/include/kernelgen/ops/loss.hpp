#pragma once
#include "kernelgen/call.hpp"

/// Losses along the last dim, of any length but 0; floating point.
namespace kernelgen {

/// Results of cross_entropy.
struct CrossEntropy {
  Tensor loss;         ///< one per row, of the logits' dtype
  Tensor log_sum_exp;  ///< one per row, f64 for f64 logits, else f32; empty unless requested
};

/// The stream, the outputs, and which results to compute.
struct CrossEntropyOptions {
  Stream stream = {};
  /// Written instead of new tensors: contiguous, of the targets' shape, without overlap with each other or an
  /// input.
  const Tensor* loss = nullptr;
  const Tensor* log_sum_exp = nullptr;
  /// Whether to return the log-sum-exp if no tensor for it is given.
  bool wants_log_sum_exp = false;
};

/// log Σ exp(logits) - logits[target] of each row. Logits are [..., classes], of any layout and rank 1 or
/// more; targets are [...] of u8, u32, i16, i32 or i64. Computed in f32, for f64 in f64, and rounded once,
/// without loss of precision for logits far from zero.
///
/// A target equal to the largest value of its type (255 for u8) has the loss 0. So does any other target
/// outside 0 … classes - 1, and the next wait for the stream, or copy to the host in it, throws
/// Error(index_out_of_range): see Stream.
///
/// If a row contains NaN, its log-sum-exp is NaN, and so is its loss unless set to 0 as above. If its
/// greatest logit is +inf, the log-sum-exp and the loss are +inf, but the loss is NaN if the target's logit is
/// +inf. If all its logits are -inf, the log-sum-exp is -inf and the loss NaN. In other rows, a target's logit
/// of -inf gives the loss +inf. Throws Error(invalid_argument) for rows without a logit.
CrossEntropy cross_entropy(const Tensor& logits, const Tensor& targets,
                           const CrossEntropyOptions& options = {});

}  // namespace kernelgen
