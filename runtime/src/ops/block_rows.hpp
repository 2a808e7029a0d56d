#pragma once
#include <optional>
#include <string_view>

#include "kernelgen/tensor.hpp"
#include "plan/quantized.hpp"

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
  std::int64_t rows, n;    ///< number of rows, and elements of a row
  std::int64_t row_bytes;  ///< distance between rows
};

/// Throws Error, naming the operation and the operand, if the tensor is not quantized, or if `rank` is not 0
/// and differs from its rank.
void check_quantized(std::string_view operation, std::string_view called, const Tensor& x, std::size_t rank);
/// Throws Error on dtypes that values are not quantized to.
void check_quantizable(std::string_view operation, std::string_view called, DType dtype);
/// Throws Error on dtypes other than f32, f16 and bf16.
void check_activation(std::string_view operation, std::string_view called, DType dtype);

/// A dtype that check_activation() accepts, as a kernel argument.
inline kg::ActivationType activation_type(DType dtype) {
  constexpr auto is_numbered = [](DType type, kg::ActivationType as) {
    return static_cast<unsigned>(type) == static_cast<unsigned>(as);
  };
  static_assert(is_numbered(DType::bf16, kg::ActivationType::bf16) &&
                is_numbered(DType::f16, kg::ActivationType::f16) &&
                is_numbered(DType::f32, kg::ActivationType::f32));
  return static_cast<kg::ActivationType>(dtype);
}

}  // namespace kernelgen
