#pragma once
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "kernelgen/call.hpp"

/// Element-wise functions that a program writes itself, compiled when they are first called.
namespace kernelgen {

/// What a name in an expression stands for: a tensor, which has to be there as long as the call, or a number.
struct ExpressionOperand {
  ExpressionOperand(std::string_view name_, const Tensor& tensor_) : name(name_), tensor(&tensor_) {}
  ExpressionOperand(std::string_view name_, Scalar number_) : name(name_), number(number_) {}

  std::string_view name;
  const Tensor* tensor = nullptr;  ///< null: the number
  Scalar number = 0;
};

/// How an expression is called; all may be left out.
struct ExpressionOptions {
  Stream stream = {};
  /// Written instead of a new tensor, as CallOptions::out; may be one of the tensors.
  const Tensor* out = nullptr;
  /// The result's. Where there is none, that of `out`, else that of the tensors, which then all have the same.
  std::optional<DType> dtype = std::nullopt;
};

/// The expression of each element, by one kernel: `expression("silu(a) * b + c", {{"a", a}, {"b", b}, {"c", 0.5}})`. Its words
/// are those of an "expr" in a manifest (docs/kernels.md): C++'s operators and the functions of kernels/, on elements that
/// are f32 where their dtype is narrower than that. Up to six tensors of any layout and plain dtype, which are
/// broadcast to a common shape; up to eight numbers, which are converted to the dtype of the first tensor of floats,
/// else of the first tensor. Numbers may change from call to call; what is compiled is one kernel for the text, the names
/// and the dtypes, which stays loaded as long as the device is open, and one more for operands that are not contiguous.
/// Throws Error(invalid_argument) for an expression that is none, with the compiler's words, and as every
/// operation; else what Device::compile does.
Tensor expression(std::string_view text, std::span<const ExpressionOperand> operands,
                  const ExpressionOptions& options = {});
Tensor expression(std::string_view text, std::initializer_list<ExpressionOperand> operands,
                  const ExpressionOptions& options = {});

}  // namespace kernelgen
