#pragma once
#include <cstdint>
#include <optional>

#include "kernelgen/call.hpp"

/// Attention, forward: f16, bf16, f32.
namespace kernelgen {

/// Optional arguments of a call. B, H, T, D are q's dims; S is the number of keys.
struct AttentionOptions {
  Stream stream = {};
  /// Tensors to write instead of new ones; they must not overlap each other or an input. `out`: q's shape and
  /// dtype, stride 1 in the last dim, other strides any without overlap: a transposed [B, T, H, D] is accepted.
  /// `log_sum_exp`: f32 [B, H, T], contiguous.
  const Tensor* out = nullptr;
  const Tensor* log_sum_exp = nullptr;
  /// Whether to return the log-sum-exp if no tensor for it is given.
  bool wants_log_sum_exp = false;

  /// Factor of the products of q and k; 1 / sqrt(D) by default. Converted to f32, as are the numbers below.
  std::optional<double> scale = std::nullopt;
  /// If set, a query sees no key after its own position.
  bool causal = false;
  /// Maximum number of keys that a query sees before (left) and after (right) its own position; by default
  /// unlimited.
  std::optional<std::int64_t> window_left = std::nullopt, window_right = std::nullopt;
  /// Replaces each logit by cap · tanh(logit / cap); 0: no cap.
  double soft_cap = 0;

  /// Added to the logits: the dtype of k and v if they have 16 bits, else q's; of a shape that broadcasts to
  /// [B, H, T, S].
  const Tensor* mask = nullptr;
  /// ALiBi (Press, Smith and Lewis, 2022): slope · |query position - key position| is subtracted from each
  /// logit. f32 [H] or [B, H].
  const Tensor* alibi_slopes = nullptr;
  /// Attention sinks: for each head, the logit of one additional key whose value is 0. f32 [H].
  const Tensor* sinks = nullptr;

  /// Sequence lengths, ids [B]: sequence b consists of its first query_lengths[b] of T queries and its first
  /// key_lengths[b] of S keys. Later rows are not read.
  const Tensor* query_lengths = nullptr;
  const Tensor* key_lengths = nullptr;
  /// Page table of a paged cache, ids [B, pages per sequence]. k and v are [pages, heads of k, rows per page,
  /// D]. Key j of sequence b is row j % rows of page block_table[b, j / rows]; S = pages per sequence · rows
  /// per page. Only entries of keys that a query sees are read.
  const Tensor* block_table = nullptr;
};

/// Results of attention.
struct AttentionResult {
  Tensor y;            ///< q's shape and dtype
  Tensor log_sum_exp;  ///< f32 [B, H, T]: log of the sum of exp(logit); empty unless requested
};

/// y[b, h, t] = Σ_j softmax_j(logit(t, j)) · v[b, h / group, j], where
/// logit(t, j) = scale · q[b, h, t]·k[b, h / group, j], soft-capped, minus slope · distance, plus the mask's
/// element.
///
/// q is [B, H, T, D], k and v are [B, heads of k, S, D] with H = group · heads of k. Strides are arbitrary,
/// so a [B, T, H, D] is passed as its transposed view; an operand whose last dim does not have stride 1 is
/// copied. D is 1 to 256. k and v have q's dtype, or both are f8e4m3, or q is f32 and both are f16 or bf16; then
/// q and y may be rounded to that dtype. Products and sums are computed in f32; y is rounded once.
///
/// The last query is aligned with the last key: query t has position t + keys - queries among the keys, with
/// `queries` and `keys` the lengths of its sequence. A single query has the position of the last key.
///
/// A key with a logit of -inf counts as not seen. Keys that a query does not see have no effect on its row,
/// even if they are NaN. A query that sees no key, and a row after the end of its sequence, give zeros; their
/// log-sum-exp is the sink, or -inf without sinks. The same holds for S = 0. If q has no elements, the call
/// does nothing.
///
/// ids are u8, u32, i16, i32 or i64. u32 and i32 are read in place; others are first converted to i32,
/// saturating. A length that is negative or greater than the number of rows makes its sequence empty. Keys of
/// a block_table entry outside the cache are not seen. In both cases the next wait for the stream, or copy to
/// the host in it, throws Error(index_out_of_range) with the operand, the first such entry and the valid
/// range: see Stream.
///
/// Throws Error(invalid_argument) for shapes and dtypes that do not fit, for D = 0 or D > 256, for extents or
/// H / heads of k · T over 2^31 - 1, and for numbers that are not finite.
AttentionResult attention(const Tensor& q, const Tensor& k, const Tensor& v,
                          const AttentionOptions& options = {});

}  // namespace kernelgen
