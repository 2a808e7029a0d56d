#pragma once
#include "kernelgen/call.hpp"

/// Mixtures of experts, in addition to indexed_matmul: which experts a token has, and the sum of their results.
namespace kernelgen {

/// The most experts that route_experts chooses for a token.
inline constexpr std::int64_t most_routed_experts = 64;

/// How the weights of a token's experts are normalized.
struct Routing {
  bool is_normalized = false;  ///< whether they are divided by their sum
  double least = 0;            ///< lower bound of that sum
};

/// For each row of logits, f32 [tokens, experts] of any layout: writes the numbers of the k experts with the largest logits, the
/// largest first, to ids, u32 or i32 [tokens, k], and their softmax among all experts to weights, f32 [tokens, k], contiguous. Of
/// equal logits the lower number is first; a NaN counts as larger than all numbers, or smaller if its sign is set. k is from 1 to
/// the number of experts and at most most_routed_experts; ids have contiguous rows with any stride between them. Results do not
/// overlap logits or each other.
void route_experts(const Tensor& logits, const Tensor& ids, const Tensor& weights,
                   const Routing& routing = {}, const Stream& stream = {});

/// y[t] = Σ_j weights[t, j] · x[t, j] for x f32 [tokens, k, n] and weights f32 [tokens, k], both of any layout.
Tensor add_experts(const Tensor& x, const Tensor& weights, const CallOptions& options = {});

}  // namespace kernelgen
