#pragma once
#include "kernelgen/call.hpp"

/// Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
/// cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many positions as x; d
/// is even.
namespace kernelgen {

/// x: [batch, heads, positions, d]. Elements i and i + d/2 form a pair (a, b), which becomes
/// (a · cos - b · sin, a · sin + b · cos).
Tensor rope(const Tensor& x, const Tensor& cos, const Tensor& sin, const CallOptions& options = {});
/// As rope, but elements 2i and 2i + 1 form a pair.
Tensor rope_i(const Tensor& x, const Tensor& cos, const Tensor& sin, const CallOptions& options = {});
/// As rope for x: [batch, positions, heads, d].
Tensor rope_thd(const Tensor& x, const Tensor& cos, const Tensor& sin, const CallOptions& options = {});

/// Results of rope for queries and keys.
struct QueriesAndKeys {
  Tensor q, k;
};

/// The stream and the outputs of rope for queries and keys.
struct QueriesAndKeysOptions {
  Stream stream = {};
  /// Written instead of new tensors: contiguous, of the shapes and dtype of q and k, without overlap with
  /// each other or an input.
  const Tensor* q = nullptr;
  const Tensor* k = nullptr;
};

/// Applies rope to queries and keys with the same angles, in one launch. The results are bit-identical to
/// those of two calls. q and k have one dtype and d and may differ in all other dims: [batch, heads,
/// positions, d] each.
QueriesAndKeys rope_qk(const Tensor& q, const Tensor& k, const Tensor& cos, const Tensor& sin,
                       const QueriesAndKeysOptions& options = {});
/// The same with rope_i.
QueriesAndKeys rope_i_qk(const Tensor& q, const Tensor& k, const Tensor& cos, const Tensor& sin,
                         const QueriesAndKeysOptions& options = {});
/// The same with rope_thd.
QueriesAndKeys rope_thd_qk(const Tensor& q, const Tensor& k, const Tensor& cos, const Tensor& sin,
                           const QueriesAndKeysOptions& options = {});

/// Returns q rotated, and stores k, rotated too, and v as rows of caches, in one launch: what a step of decoding writes. q is
/// [tokens, heads, d], k [tokens, key heads, d], v [tokens, n] and cos and sin are [tokens, d / 2], or have more positions; all
/// are f32 of any layout. Pairs are those of rope, or of rope_i with `are_neighbours`. Token t is stored in row key_ids[t] of
/// keys, [rows, key heads · d], and in row value_ids[t] of values, [rows, n], each f32, f16 or bf16 with contiguous rows; ids
/// are u8, u32, i16, i32 or i64. Results are bit-identical to those of rope and set_rows; an id that is out of range, or the
/// largest value of its type, means the same as there. `options.out` may be q, if that is contiguous; k and v may have no
/// elements.
Tensor rope_set_rows(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& cos, const Tensor& sin,
                     const Tensor& keys, const Tensor& key_ids, const Tensor& values, const Tensor& value_ids,
                     bool are_neighbours = false, const CallOptions& options = {});

}  // namespace kernelgen
