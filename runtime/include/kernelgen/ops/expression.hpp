#pragma once
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "kernelgen/call.hpp"

/// User-defined element-wise functions, compiled at their first call.
namespace kernelgen {

/// Binds a name in an expression to a tensor, which must exist until the call returns, or to a number.
struct ExpressionOperand {
  ExpressionOperand(std::string_view name_, const Tensor& tensor_) : name(name_), tensor(&tensor_) {}
  ExpressionOperand(std::string_view name_, Scalar number_) : name(name_), number(number_) {}

  std::string_view name;
  const Tensor* tensor = nullptr;  ///< null for a number
  Scalar number = 0;
};

/// Optional arguments of an expression.
struct ExpressionOptions {
  Stream stream = {};
  /// Written instead of a new tensor, as CallOptions::out; may be one of the tensors.
  const Tensor* out = nullptr;
  /// The result's dtype. By default that of `out`, else that of the tensors, which must then all have the
  /// same dtype.
  std::optional<DType> dtype = std::nullopt;
};

/// Evaluates the expression for each element, in one kernel:
/// `expression("silu(a) * b + c", {{"a", a}, {"b", b}, {"c", 0.5}})`. The syntax is that of an "expr" in a
/// manifest (docs/adding-an-operation.md): the operands' names, numbers, C's operators, functions such as exp
/// and maximum, and conversions such as u8(x). Floats narrower than f32 are computed in f32. Integers divide
/// as in the operation div.
///
/// There may be up to six tensors, of any layout and plain dtype, which are broadcast to a common shape, and
/// up to eight numbers. Numbers are converted as by Scalar::store to the dtype of the first floating-point
/// tensor, else of the first tensor; their values may change from call to call. One kernel is compiled for
/// each combination of text, names and dtypes, and another one for operands that are not contiguous. Kernels
/// stay loaded as long as the device is open.
///
/// Throws Error(invalid_argument) for a text that is not an expression, with the column and the names that
/// may be used; for one that the operands' dtypes do not allow, with the compiler's message; and as every
/// operation. Also throws as Device::compile.
Tensor expression(std::string_view text, std::span<const ExpressionOperand> operands,
                  const ExpressionOptions& options = {});
Tensor expression(std::string_view text, std::initializer_list<ExpressionOperand> operands,
                  const ExpressionOptions& options = {});

}  // namespace kernelgen
