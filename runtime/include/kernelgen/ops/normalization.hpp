#pragma once
#include <cstdint>

#include "kernelgen/call.hpp"

/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `options.out` may be x itself
/// if x is contiguous.
namespace kernelgen {

/// exp(x - max) / sum of exp(x - max).
Tensor softmax(const Tensor& x, const CallOptions& options = {});
/// Options of scaled_softmax.
struct ScaledSoftmaxOptions {
  Stream stream = {};
  const Tensor* out = nullptr;  ///< as in CallOptions
  double scale = 1;
  /// f16 or f32, broadcast to x's shape by NumPy's rule; -inf masks an element.
  const Tensor* mask = nullptr;
  /// f32 [heads], where x is [..., heads, rows, columns]: factors of the mask, as in ALiBi.
  const Tensor* slopes = nullptr;
  /// f32 [heads]: an additional logit of each row, which is not scaled and whose result is not stored.
  const Tensor* sinks = nullptr;
};
/// softmax of scale · x + slope · mask, computed without rounding those; for x of f64 in f64. A row whose
/// elements are all masked gives NaN, with a sink zeros.
Tensor scaled_softmax(const Tensor& x, const ScaledSoftmaxOptions& options = {});
/// The logarithm of softmax, computed without rounding softmax first.
Tensor log_softmax(const Tensor& x, const CallOptions& options = {});
/// x / sqrt(mean of x² + eps) · weight. `weight` has the last dim's length and x's dtype. eps is rounded to
/// f32, or is f64 for x of f64, and must then be finite and not negative.
Tensor rms_norm(const Tensor& x, const Tensor& weight, double eps = 1e-5, const CallOptions& options = {});
/// (x - mean) / sqrt(variance + eps) · weight + bias, where the variance is the mean of the squared deviations
/// from the mean. `weight`, `bias` and eps as in rms_norm.
Tensor layer_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double eps = 1e-5,
                  const CallOptions& options = {});
/// rms_norm and layer_norm without weights.
Tensor plain_rms_norm(const Tensor& x, double eps = 1e-5, const CallOptions& options = {});
Tensor plain_layer_norm(const Tensor& x, double eps = 1e-5, const CallOptions& options = {});
/// x / max(sqrt(sum of x²), eps): rows of norm 1. eps as in rms_norm.
Tensor l2_norm(const Tensor& x, double eps = 1e-5, const CallOptions& options = {});
/// plain_layer_norm of groups of channels, together with the dims after those: x is [batch, channels, ...],
/// and the channels are a multiple of `groups`.
Tensor group_norm(const Tensor& x, std::int64_t groups, double eps = 1e-5, const CallOptions& options = {});

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
AddedNorm add_rms_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, double eps = 1e-5,
                       const AddedNormOptions& options = {});
/// x + residual and its layer_norm, as add_rms_norm; `weight`, `bias` and eps as in layer_norm.
AddedNorm add_layer_norm(const Tensor& x, const Tensor& residual, const Tensor& weight, const Tensor& bias,
                         double eps = 1e-5, const AddedNormOptions& options = {});

}  // namespace kernelgen
