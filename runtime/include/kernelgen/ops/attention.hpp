#pragma once
#include <cstdint>
#include <optional>

#include "kernelgen/call.hpp"

/// Attention, forward: f16, bf16, f32.
namespace kernelgen {

/// What may be left out of a call. B, H, T, D are q's dims, S is the number of keys.
struct AttentionOptions {
  Stream stream = {};
  /// Written instead of new tensors, each memory of its own. `out`: q's shape and dtype; elements of its last dim are
  /// neighbours, its other strides are any, so that a transposed [B, T, H, D] serves. `log_sum_exp`: f32 [B, H, T],
  /// contiguous.
  const Tensor* out = nullptr;
  const Tensor* log_sum_exp = nullptr;
  /// Whether the log-sum-exp is wanted where no tensor for it is given.
  bool wants_log_sum_exp = false;

  /// Of products of q and k; 1 / sqrt(D) where none is given. Taken as f32, as are the numbers below.
  std::optional<double> scale = std::nullopt;
  /// A query sees no key behind its own place.
  bool causal = false;
  /// Keys that a query sees at most before, and behind, its own place; all where none is given.
  std::optional<std::int64_t> before = std::nullopt, after = std::nullopt;
  /// cap · tanh(logit / cap) in place of each logit; 0: no cap.
  double soft_cap = 0;

  /// Added to logits: q's dtype, of a shape that broadcasts to [B, H, T, S].
  const Tensor* mask = nullptr;
  /// ALiBi (Press, Smith and Lewis, 2022): slope · distance is taken off a logit. f32 [H] or [B, H].
  const Tensor* slopes = nullptr;
  /// Logits of keys that each head sees besides, whose values are 0. f32 [H].
  const Tensor* sinks = nullptr;

  /// Rows that each sequence has, the first of its T and S; ids [B]. What lies behind them is not read.
  const Tensor* query_lengths = nullptr;
  const Tensor* key_lengths = nullptr;
  /// ids [B, pages each]: then k and v are a cache [pages, heads of k, rows of a page, D], in which key j of sequence b is
  /// row j % rows of page pages[b, j / rows], and S is pages each · rows. Only entries that a query's keys are in are
  /// read.
  const Tensor* pages = nullptr;
};

/// What attention gives.
struct Attended {
  Tensor y;            ///< q's shape and dtype
  Tensor log_sum_exp;  ///< f32 [B, H, T]: log of the sum of exp(logit); none where not wanted
};

/// y[b, h, t] = Σ_j softmax_j(logit(t, j)) · v[b, h / group, j], where logit(t, j) = scale · q[b, h, t]·k[b, h / group, j],
/// capped, then less slope · distance, then plus the mask's element.
///
/// q is [B, H, T, D], k and v are [B, heads of k, S, D] with H = group · heads of k; any strides, so that a [B, T, H, D] is
/// given as its transposed view (an operand whose last dim's elements are no neighbours is copied). D is 1 to 256. k and v
/// have q's dtype, or both are f8e4m3. Products and sums are f32, y is rounded once.
///
/// Queries and keys end together: query t of a sequence of n stands at t + keys - n among its keys, both as its lengths
/// say; with one query that is the last key's place.
///
/// A key whose logit is -inf counts as not seen, and nothing of a key that a query does not see reaches its row, NaN
/// neither. A query that sees no key, and a row behind its sequence's length, gives zeros and, without a sink, a
/// log-sum-exp of -inf, with one the sink. So does S = 0; without elements of q nothing is done.
///
/// ids are u8, u32, i16, i32 or i64; u32 and i32 are read where they are, others are converted first and cut to what i32
/// holds. A length that is negative or more than there are rows makes a sequence of none, an entry of pages outside the
/// cache keys that are not seen; the next wait for the stream, or copy to the host by it, then throws
/// Error(index_out_of_range) with the operand, the first such entry and what it takes: see Stream.
///
/// Throws Error(invalid_argument) for shapes and dtypes that do not fit, D = 0 or over 256, extents (and H / heads of k ·
/// T) over 2^31 - 1, numbers that are not finite.
Attended attention(const Tensor& q, const Tensor& k, const Tensor& v, const AttentionOptions& options = {});

}  // namespace kernelgen
