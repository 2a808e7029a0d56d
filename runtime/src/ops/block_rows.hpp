#pragma once
#include <optional>
#include <string_view>

#include "kernelgen/tensor.hpp"

/// What operations on quantized tensors share.
namespace kernelgen {

/// Elements from row to row of the last dim, or nothing where rows are not at one distance. Of a single row its length.
std::optional<std::int64_t> row_distance(const Layout& layout);

/// A tensor's last dim as rows some bytes apart. Tensors whose rows are not at one distance are copied together.
struct BlockRows {
  BlockRows(const Tensor& quantized, const Stream& stream);

  Tensor tensor;
  std::int64_t rows, n;
  std::int64_t row_bytes;  ///< from row to row
};

/// Refuses, naming the operation and the operand, a tensor that is not quantized, and one of another rank unless that
/// is 0.
void check_quantized(std::string_view operation, std::string_view called, const Tensor& x, std::size_t rank);
/// Refuses a dtype other than f32, f16 and bf16.
void check_activation(std::string_view operation, std::string_view called, DType dtype);

/// How kernels are told of it, see kg::ActivationType.
inline std::uint32_t activation_type(DType dtype) { return static_cast<std::uint32_t>(dtype); }

}  // namespace kernelgen
