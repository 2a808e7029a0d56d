#pragma once
#include <optional>
#include <string_view>

#include "kernelgen/tensor.hpp"

/// Shared by the operations on quantized tensors.
namespace kernelgen {

/// The distance in elements between consecutive rows of the last dim, or nothing if it is not uniform. For a
/// single row, its length.
std::optional<std::int64_t> row_distance(const Layout& layout);

/// A tensor's last dim as rows at a uniform distance in bytes. Tensors with non-uniform distances are made
/// contiguous.
struct BlockRows {
  BlockRows(const Tensor& quantized, const Stream& stream);

  Tensor tensor;
  std::int64_t rows, n;
  std::int64_t row_bytes;  ///< distance between rows
};

/// Throws Error, naming the operation and the operand, if the tensor is not quantized, or if `rank` is not 0
/// and differs from its rank.
void check_quantized(std::string_view operation, std::string_view called, const Tensor& x, std::size_t rank);
/// Throws Error on dtypes other than f32, f16 and bf16.
void check_activation(std::string_view operation, std::string_view called, DType dtype);

/// The encoding kernels take, see kg::ActivationType.
inline std::uint32_t activation_type(DType dtype) { return static_cast<std::uint32_t>(dtype); }

}  // namespace kernelgen
