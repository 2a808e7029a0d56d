#pragma once
#include "call.hpp"

namespace kernelgen::ggml {

/// Factors of the mask by ALiBi (Press, Smith and Lewis, 2022) with that greatest bias: f32 [heads].
Tensor alibi_slopes(const Call& call, std::int64_t heads, double max_bias);

/// The mask [batch', heads' or 1, rows, columns], where the first two dims divide those of the logits, repeated over
/// [batch, heads, rows, columns] and multiplied by the slopes if max_bias is not 0. Has the split shape of `tiling`.
Tensor spread_mask(const Call& call, const Tensor& mask, const Tiling& tiling, std::int64_t heads,
                   double max_bias);

/// Softmax along the last dim of [batch, heads, rows, columns], as if each row had one more column: its head's sink.
Tensor softmax_with_sinks(const Call& call, const Tensor& logits, const Tensor& sinks);

}  // namespace kernelgen::ggml
