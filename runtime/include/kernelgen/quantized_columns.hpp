#pragma once
#include "kernelgen/ops/quantized.hpp"

/// Activations that are quantized once for several products.
namespace kernelgen {

/// x of several products with quantized weights. The first product that multiplies bytes stores the quantized x in `bytes`, and
/// later ones read it: x must not change meanwhile.
struct QuantizedColumns {
  Tensor x;
  Tensor bytes = {};
};

/// As the functions of these names on x.x. Errors are the same.
Tensor quantized_matmul(QuantizedColumns& x, const Tensor& weights, const CallOptions& options = {});
Tensor indexed_matmul(QuantizedColumns& x, const Tensor& weights, const Tensor& ids,
                      const CallOptions& options = {});

}  // namespace kernelgen
