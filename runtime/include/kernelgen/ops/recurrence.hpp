#pragma once
#include "kernelgen/call.hpp"

/// Linear recurrences: RWKV-6 and -7, Mamba and Mamba-2, gated linear attention, gated delta networks. f32.
namespace kernelgen {

/// Optional arguments of a call. B, T, H, V are v's dims, K is q's last.
struct RecurrenceOptions {
  Stream stream = {};
  const Tensor* out = nullptr;  ///< as in CallOptions
  /// [B, T, H, K], or [B, T, H, 1] for one factor of all elements; 1 by default.
  const Tensor* decay = nullptr;
  /// [H, K] or [H, 1]. If given, the factors are exp(decay · rates).
  const Tensor* rates = nullptr;
  /// [B, T, H, K], both or neither.
  const Tensor* removal = nullptr;
  const Tensor* insertion = nullptr;
  /// [H, K]: y is computed of the state before the token's decay, and of the token weighted with the bonus.
  const Tensor* bonus = nullptr;
  double scale = 1;
  /// [B, T, H, 1], without a removal and a bonus: factors of the delta rule, by which v becomes delta · (v - S k), with the S
  /// after the token's decay.
  const Tensor* delta = nullptr;
  /// [B, H, V, K], in state's layout: the S before the first token, in place of `state`'s, which then is only written.
  const Tensor* before = nullptr;
  /// [B], integers, with a `before` of [N, H, V, K] apart from `state`: which of its N a sequence starts from. The largest number
  /// of the dtype means zeros, and any other without a state is reported when the stream is waited for
  /// (Code::index_out_of_range).
  const Tensor* before_ids = nullptr;
  /// Mamba's discretization: Δ = softplus(decay), with a decay of [B, T, H, 1]. Requires rates; v is multiplied by Δ.
  bool discretize = false;
  /// Whether head h takes head h mod G of q and k if those have G heads, instead of h / (H / G).
  bool tile_heads = false;
};

/// For each sequence b and head h, token by token, with a matrix S [V, K]:
///
///   S = S · diag(decay[b, t, h]) + (S removal[b, t, h]) insertion[b, t, h]ᵀ + v[b, t, h] k[b, t, h]ᵀ,
///   y[b, t, h] = scale · S q[b, t, h], or with a bonus
///   y[b, t, h] = scale · (S + v (bonus[h] · k)ᵀ) q of the S before the token.
///
/// `S removal` is of the S before the token, too. q and k are [B, T, H, K], or have G heads of which H is a multiple; v is
/// [B, T, H, V]; y is [B, T, H, V]. `state` [B, H, V, K], contiguous or with each S transposed in memory, has the S before the first
/// token, and those after the last when the work is done. Operands are f32, of any layout; sums are in f32. K is at most 2048.
/// `out` must not overlap an operand, nor `state` any other but a `before` in the same memory.
Tensor linear_recurrence(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& state,
                         const RecurrenceOptions& options = {});

}  // namespace kernelgen
