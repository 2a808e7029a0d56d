#pragma once
#include <span>
#include <string>
#include <string_view>

#include "kernelgen/ops/expression.hpp"
#include "ops/map_call.hpp"

namespace kernelgen {

/// An expression with the names and dtypes of its operands: the key of a compilation.
struct TypedExpression {
  std::string_view text;
  std::span<const ExpressionOperand> operands;
  DType result;
  DType number;  ///< dtype of all numbers
};

/// The source of the kernel "kg_expression" in a form other than MapForm::tiled. Throws
/// Error(invalid_argument) on invalid names and expressions.
std::string expression_source(const TypedExpression& expression, MapForm form);

/// An expression's kernels, compiled at their first launch and cached with the device.
class ExpressionKernels final : public MapKernels {
 public:
  ExpressionKernels(const Device& device, const Stream& stream, const TypedExpression& expression)
      : device_(device), stream_(stream), expression_(expression) {}
  void launch(MapForm form, const LaunchShape& shape, const Arguments& arguments) const override;

 private:
  const Device& device_;
  const Stream& stream_;
  const TypedExpression expression_;
};

}  // namespace kernelgen
