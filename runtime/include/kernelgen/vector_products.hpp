#pragma once
#include <span>

#include "kernelgen/call.hpp"

/// Products of one vector with several matrices, as a layer of a language model has for each token: in one launch, where kernels
/// of matmul and quantized_matmul would take one each.
namespace kernelgen {

/// A matrix and where its product goes.
struct VectorProduct {
  Tensor weights;  ///< [rows, n]
  Tensor out;      ///< f32 [rows], contiguous
};

/// The most matrices of one call of multiply_vector.
inline constexpr std::size_t most_vector_products = 3;

/// out = x Wᵀ for each of up to three matrices W of one dtype: f16 or bf16, to which x, f32 [n], is rounded, or a quantized one.
/// Results do not overlap operands or each other. Sums are those of matmul, accumulated in f32 in parts of a few hundred terms, or
/// results those of quantized_matmul.
void multiply_vector(const Tensor& x, std::span<const VectorProduct> products, const Stream& stream = {});

/// What the other factor of a gated product is multiplied by, as a function of the gate's product.
enum class Gate { silu = 1, gelu, gelu_erf, gelu_quick, relu };

/// gate(x Gᵀ) · (x Wᵀ), f32 [rows], for G and W of one shape [rows, n] and dtype, as those of multiply_vector are. Both products and
/// the gate's function are computed in f32.
Tensor multiply_gated(const Tensor& x, const Tensor& gates, const Tensor& weights, Gate gate,
                      const CallOptions& options = {});

}  // namespace kernelgen
