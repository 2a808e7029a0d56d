#pragma once
#include "kernelgen/call.hpp"

/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `options.out` may be x itself
/// if x is contiguous.
namespace kernelgen {

/// exp(x - max) / sum of exp(x - max).
Tensor softmax(const Tensor& x, const CallOptions& options = {});
/// The logarithm of softmax, computed without rounding softmax first.
Tensor log_softmax(const Tensor& x, const CallOptions& options = {});
/// x / sqrt(mean of x² + eps) · weight. `weight` has the last dim's length and x's dtype. eps is rounded to
/// f32, or is f64 for x of f64, and must then be finite and not negative.
Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps, const CallOptions& options = {});
/// (x - mean) / sqrt(variance + eps) · weight + bias, with the variance about the mean, divided by the
/// length. `weight`, `bias` and eps as in rms_norm.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps,
                  const CallOptions& options = {});

/// Results of the norm of a sum.
struct AddedNorm {
  Tensor sum;   ///< x + residual, rounded to their dtype
  Tensor norm;  ///< norm of the sum before that rounding
};

/// The stream and the outputs of the norm of a sum.
struct AddedNormOptions {
  Stream stream = {};
  /// Written instead of new tensors: contiguous, of x's shape and dtype. Each may be x or residual itself
  /// (same memory, same layout), but not both the same one, and neither may overlap a weight.
  const Tensor* sum = nullptr;
  const Tensor* norm = nullptr;
};

/// x + residual and its rms_norm, in one pass over memory. `residual` has x's shape and dtype, in any layout;
/// `weight` and eps as in rms_norm.
AddedNorm add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, double eps,
                       const AddedNormOptions& options = {});
/// x + residual and its layer_norm, as add_rms_norm; `weight`, `bias` and eps as in layer_norm.
AddedNorm add_layer_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                         double eps, const AddedNormOptions& options = {});

}  // namespace kernelgen
