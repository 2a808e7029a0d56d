#pragma once
#include "call.hpp"

namespace kernelgen::ggml {

/// Factors of the mask by ALiBi (Press, Smith and Lewis, 2022) with that greatest bias: f32 [heads].
Tensor alibi_slopes(const Call& call, std::int64_t heads, double max_bias);

/// The mask [batch', heads' or 1, rows, columns], where the first two dims divide those of the logits, in a shape that
/// broadcasts to theirs: itself, or repeated.
Tensor repeated_mask(const Call& call, const Tensor& mask, const Shape& logits);

/// Softmax along the last dim of scale · logits, which are [batch, heads, rows, columns], with the mask and the sinks that the
/// operands `mask` and `mask + 1` of the node are, if it has them.
Tensor masked_softmax(const Call& call, const Tensor& logits, std::size_t mask, double scale, double max_bias,
                      const CallOptions& options);

}  // namespace kernelgen::ggml
