#pragma once
#include <cstdint>
#include <string_view>

namespace kernelgen {

/// One spatial dim of a convolution.
struct ConvAxis {
  std::int64_t in, kernel, stride, padding, dilation, output_padding;
  std::int64_t out = 0;

  /// Input elements spanned by the kernel.
  std::int64_t reach() const { return (kernel - 1) * dilation + 1; }
};

/// A convolution call: [batch, channels, rows, columns], with one row for 1-d operations.
struct ConvProblem {
  std::string_view name;
  bool transposed;
  std::int64_t batch, groups, in_channels, out_channels;  ///< channels per group
  ConvAxis rows, columns;
};

}  // namespace kernelgen
