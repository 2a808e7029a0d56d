#pragma once
#include "kernelgen/call.hpp"

/// Along the last dim, of any length; floating point; x of any layout and rank 1 or more. Narrow floats are
/// computed in f32 and rounded once, f64 in f64. `options.out` may be x itself, where x is contiguous.
namespace kernelgen {

/// exp(x - max) / sum of exp(x - max).
Tensor softmax(const Tensor& x, const CallOptions& options = {});
/// The logarithm of softmax, without its rounding.
Tensor log_softmax(const Tensor& x, const CallOptions& options = {});
/// x / sqrt(mean of x² + eps) · weight. `weight` has the last dim's length and x's dtype; eps is taken as f32,
/// for f64 as f64; there it has to be finite and not negative.
Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps, const CallOptions& options = {});
/// (x - mean) / sqrt(variance + eps) · weight + bias, the variance taken around the mean and divided by the
/// length. `weight` and `bias` as in rms_norm.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                  const CallOptions& options = {});

/// Both results of a norm of a sum.
struct AddedNorm {
  Tensor sum;   ///< x + residual, rounded to their dtype
  Tensor norm;  ///< of the sum as it was before that rounding
};

/// Where a norm of a sum works, and what it writes to.
struct AddedNormOptions {
  Stream stream = {};
  /// Written instead of new tensors: contiguous, of x's shape and dtype. Each may be x or residual itself (same memory,
  /// same layout), but not both the same one, and neither may overlap a weight.
  const Tensor* sum = nullptr;
  const Tensor* norm = nullptr;
};

/// x + residual and its rms_norm, in one pass over memory. `residual` has x's shape and dtype, in any layout; `weight`
/// and eps as in rms_norm.
AddedNorm add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, double eps,
                       const AddedNormOptions& options = {});
/// x + residual and its layer_norm, as add_rms_norm; `weight`, `bias` and eps as in layer_norm.
AddedNorm add_layer_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                         double eps, const AddedNormOptions& options = {});

}  // namespace kernelgen
