#pragma once
#include "ops/expert_choice.hpp"

namespace kernelgen {

/// y[v] = W[ids[v]] x[v / results_per_column] for plain matrices W [experts, rows, n] of any layout, x [tokens, columns /
/// tokens / results_per_column, n], contiguous ids and y.
void multiply_by_experts(const IndexOperation& operation, const Tensor& x, const Tensor& weights,
                         const Tensor& ids, const Tensor& y, const Stream& stream);

}  // namespace kernelgen
