#pragma once
#include <array>
#include <cstdint>

#include "kernelgen/dtype.hpp"

namespace kernelgen {

/// A convolution of [batch, channels, rows, columns]; weights and result contiguous.
struct Convolution {
  struct Axis {
    std::int64_t in, kernel, out, stride, padding, dilation;
  };

  DType dtype;
  bool transposed;
  std::int64_t batch, in_channels, out_channels, groups;  ///< channels of all groups
  Axis rows, columns;
  std::array<std::int64_t, 4> x_strides;  ///< in elements
  std::int64_t terms;                     ///< of the longest sum

  /// A plan's key except the dtype, in a fixed order. Determines `terms`.
  std::array<std::int64_t, 21> numbers() const {
    return {transposed,     batch,        in_channels,    out_channels,    groups,           rows.in,
            rows.kernel,    rows.out,     rows.stride,    rows.padding,    rows.dilation,    columns.in,
            columns.kernel, columns.out,  columns.stride, columns.padding, columns.dilation, x_strides[0],
            x_strides[1],   x_strides[2], x_strides[3]};
  }
};

}  // namespace kernelgen
