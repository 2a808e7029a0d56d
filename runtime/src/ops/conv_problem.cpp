#include "ops/conv_problem.hpp"

#include <algorithm>
#include <numeric>

#include "common/quotient.hpp"
#include "ops/iteration.hpp"

namespace kernelgen {

std::int64_t channel_terms(const ConvProblem& problem) {
  const auto along = [&](const ConvAxis& axis) {
    // In a transposed convolution, only kernel elements this far apart fall on input elements.
    const std::int64_t apart = problem.transposed ? axis.stride / std::gcd(axis.stride, axis.dilation) : 1;
    return quotient_up(axis.kernel, apart);
  };
  return along(problem.rows) * along(problem.columns);
}

ConvPhase conv_phase(const ConvAxis& axis, std::int64_t first) {
  const std::int64_t divisor = std::gcd(axis.stride, axis.dilation), step = axis.stride / divisor;
  ConvPhase phase{
      first, axis.stride, (axis.out - first - 1) / axis.stride + 1, 0, step, 0, 1, -axis.dilation / divisor,
      0};
  for (std::int64_t k = 0; k < std::min(step, axis.kernel); ++k) {
    const std::int64_t position = first + axis.padding - k * axis.dilation;
    if (position % axis.stride != 0) continue;
    phase.kernel_first = k;
    phase.kernel_count = (axis.kernel - 1 - k) / step + 1;
    phase.padding = -position / axis.stride;
    break;
  }
  return phase;
}

kg::ConvShape conv_shape(const ConvProblem& problem, const ConvPhase& row, const ConvPhase& column,
                         std::int64_t y_row, std::int64_t y_column) {
  const auto u = [](std::int64_t value) { return static_cast<unsigned>(value); };
  const auto i = [](std::int64_t value) { return static_cast<int>(value); };
  const ConvAxis &rows = problem.rows, &columns = problem.columns;
  kg::ConvShape shape{};
  shape.batch = u(problem.batch);
  shape.groups = u(problem.groups);
  shape.in_channels = u(problem.in_channels);
  shape.out_channels = u(problem.out_channels);
  shape.in_rows = i(rows.in);
  shape.in_columns = i(columns.in);
  shape.row_stride = i(row.stride);
  shape.column_stride = i(column.stride);
  shape.row_dilation = i(row.dilation);
  shape.column_dilation = i(column.dilation);
  shape.row_padding = i(row.padding);
  shape.column_padding = i(column.padding);
  const bool is_spaced = problem.transposed && row.is_whole;
  shape.row_spacing = divisor(u(is_spaced ? rows.stride : 1));
  shape.column_spacing = divisor(u(is_spaced ? columns.stride : 1));
  const std::int64_t taps = row.kernel_count * column.kernel_count;
  shape.weight_in = u(is_spaced ? problem.out_channels * taps : taps);
  shape.weight_out = u(is_spaced ? taps : problem.in_channels * taps);
  shape.rows = divisor(u(row.count));
  shape.columns = divisor(u(column.count));
  shape.kernel_rows = u(row.kernel_count);
  shape.kernel_columns = divisor(u(column.kernel_count));
  shape.kernel_size = divisor(u(taps));
  shape.channels = divisor(u(problem.out_channels));
  shape.image_channels = divisor(u(problem.groups * problem.out_channels));
  shape.x_channel = rows.in * columns.in;
  shape.y_channel = rows.out * columns.out;
  shape.y_row = row.step * y_row;
  shape.y_column = column.step * y_column;
  return shape;
}

}  // namespace kernelgen
