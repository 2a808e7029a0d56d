#pragma once
/// Sums of partial products.
#include "engines/grid_stride.hpp"
#include "quantized/column.hpp"

namespace kg {

/// y = Σ x[p], for x of [parts, n]: partial products of a split of the terms or of the two bf16 halves.
KG_DEVICE void add_partial_products(const f32* x, void* y, u32 activation_type, u64 n, u32 parts) {
  for_each_index(n, [&](u64 i) KG_INLINE {
    f32 sum = x[i];
    for (u32 p = 1; p < parts; ++p) sum += x[p * n + i];
    store_activation(y, static_cast<ActivationType>(activation_type), i, sum);
  });
}

}  // namespace kg
