#pragma once
#include <algorithm>
#include <cstdint>
#include <string_view>

#include "plan/image.hpp"

namespace kernelgen {

/// One spatial dim of a convolution. All extents are in elements.
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

/// A regular convolution along one dim that computes every `step`-th output element, starting at `first`,
/// from every `kernel_step`-th kernel element.
struct ConvPhase {
  std::int64_t first, step, count;
  std::int64_t kernel_first, kernel_step, kernel_count;
  std::int64_t stride, dilation, padding;  ///< as in kg::ConvShape; dilation and padding may be negative
  bool is_whole = false;                   ///< computes the whole dim from the weights as they were passed
};

/// Maximum terms of a sum per input channel.
std::int64_t channel_terms(const ConvProblem& problem);
/// Maximum terms of a sum.
inline std::int64_t longest_sum(const ConvProblem& problem) {
  return problem.in_channels * channel_terms(problem);
}

/// The whole dim as one phase.
inline ConvPhase whole_conv_phase(const ConvAxis& axis, bool transposed) {
  if (transposed) return {0, 1, axis.out, 0, 1, axis.kernel, 1, -axis.dilation, -axis.padding, true};
  return {0, 1, axis.out, 0, 1, axis.kernel, axis.stride, axis.dilation, axis.padding, true};
}

/// Output element o = first + s · i of a transposed convolution reads input element (o + padding - k ·
/// dilation) / s for the kernel elements k that make it an integer; these are s / gcd(s, dilation) apart.
ConvPhase conv_phase(const ConvAxis& axis, std::int64_t first);

/// Calls f with each phase of one dim in order. There may be as many phases as output elements.
template <class F>
void for_each_conv_phase(const ConvAxis& axis, bool transposed, const F& f) {
  if (!transposed) return f(whole_conv_phase(axis, false));
  for (std::int64_t first = 0; first < std::min(axis.stride, axis.out); ++first) f(conv_phase(axis, first));
}

/// What kernels get of a phase of rows and one of columns, with the result's strides along the problem's rows and columns. A
/// launch may take a part of the batch, the rows and the columns.
kg::ConvShape conv_shape(const ConvProblem& problem, const ConvPhase& row, const ConvPhase& column,
                         std::int64_t y_row, std::int64_t y_column);

}  // namespace kernelgen
