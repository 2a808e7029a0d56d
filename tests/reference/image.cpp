#include "image.hpp"

#include <algorithm>

namespace kernelgen::reference {
namespace {

Pair window_count(Pair size, Pair kernel, Pair stride) {
  return {(size.rows - kernel.rows) / stride.rows + 1, (size.columns - kernel.columns) / stride.columns + 1};
}

/// Calls visit(first) with the position of every window's first element, in the order of the result.
template <class F>
void each_window(std::int64_t planes, Pair size, Pair kernel, Pair stride, F&& visit) {
  const Pair count = window_count(size, kernel, stride);
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (std::int64_t row = 0; row < count.rows; ++row)
      for (std::int64_t column = 0; column < count.columns; ++column)
        visit((plane * size.rows + row * stride.rows) * size.columns + column * stride.columns);
}

/// A window's elements, exactly.
std::vector<Real> elements_of(const Elements& x, std::int64_t first, Pair size, Pair kernel) {
  std::vector<Real> elements;
  for (std::int64_t row = 0; row < kernel.rows; ++row)
    for (std::int64_t column = 0; column < kernel.columns; ++column)
      elements.push_back(real_at(x, first + row * size.columns + column));
  return elements;
}

/// Where along a dim an element of an upsampled image looks: two places and the second's weight.
struct Between {
  std::int64_t first, second;
  Real weight;
};

double step_of(std::int64_t in, std::int64_t out, bool align_corners, std::optional<double> scale) {
  if (align_corners) return out > 1 ? static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
  return scale ? 1 / *scale : static_cast<double>(in) / static_cast<double>(out);
}

Between between(std::int64_t index, std::int64_t in, double step, bool align_corners) {
  const double center = align_corners ? 0 : 0.5;
  const double source = (static_cast<double>(index) + center) * step - center;
  const double inside = std::clamp(source, 0.0, static_cast<double>(in - 1));
  const auto first = static_cast<std::int64_t>(inside);
  return {first, std::min(first + 1, in - 1), static_cast<Real>(inside) - static_cast<Real>(first)};
}

}  // namespace

Sums average_pool(const Elements& x, std::int64_t planes, Pair size, Pair kernel, Pair stride) {
  Sums result;
  const std::int64_t count = kernel.rows * kernel.columns;
  each_window(planes, size, kernel, stride, [&](std::int64_t first) {
    Real sum = 0, magnitude = 0;
    std::uint64_t wrapped = 0;
    for (const Real element : elements_of(x, first, size, kernel)) {
      sum += element;
      magnitude += std::abs(element);
      if (!is_float(x.dtype())) wrapped += static_cast<std::uint64_t>(static_cast<std::int64_t>(element));
    }
    result.value.push_back(is_float(x.dtype())
                               ? sum / static_cast<Real>(count)
                               : static_cast<Real>(static_cast<std::int64_t>(wrapped) / count));
    result.magnitude.push_back(magnitude / static_cast<Real>(count));
  });
  return result;
}

Sums max_pool(const Elements& x, std::int64_t planes, Pair size, Pair kernel, Pair stride) {
  Sums result;
  each_window(planes, size, kernel, stride, [&](std::int64_t first) {
    Real largest = -std::numeric_limits<Real>::infinity();
    for (const Real element : elements_of(x, first, size, kernel))
      if (std::isnan(element) || element > largest) largest = std::isnan(largest) ? largest : element;
    result.value.push_back(largest);
    result.magnitude.push_back(0);
  });
  return result;
}

Sums upsample_nearest(const Elements& x, std::int64_t planes, Pair size, Pair to) {
  const auto source = [](std::int64_t index, std::int64_t in, std::int64_t out) {
    const double place = static_cast<double>(index) * (static_cast<double>(in) / static_cast<double>(out));
    return std::min(static_cast<std::int64_t>(std::floor(place)), in - 1);
  };
  Sums result;
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (std::int64_t row = 0; row < to.rows; ++row)
      for (std::int64_t column = 0; column < to.columns; ++column) {
        const std::int64_t line = plane * size.rows + source(row, size.rows, to.rows);
        result.value.push_back(real_at(x, line * size.columns + source(column, size.columns, to.columns)));
        result.magnitude.push_back(0);
      }
  return result;
}

Sums upsample_bilinear(const Elements& x, std::int64_t planes, Pair size, Pair to, bool align_corners,
                       std::optional<double> row_scale, std::optional<double> column_scale) {
  const double row_step = step_of(size.rows, to.rows, align_corners, row_scale);
  const double column_step = step_of(size.columns, to.columns, align_corners, column_scale);
  Sums result;
  for (std::int64_t plane = 0; plane < planes; ++plane)
    for (std::int64_t row = 0; row < to.rows; ++row)
      for (std::int64_t column = 0; column < to.columns; ++column) {
        const Between r = between(row, size.rows, row_step, align_corners);
        const Between c = between(column, size.columns, column_step, align_corners);
        Real sum = 0, magnitude = 0;
        const auto add = [&](std::int64_t at_row, std::int64_t at_column, Real weight) {
          if (weight == 0) return;
          const Real element = real_at(x, (plane * size.rows + at_row) * size.columns + at_column);
          sum += weight * element;
          magnitude += std::abs(element);
        };
        add(r.first, c.first, (1 - r.weight) * (1 - c.weight));
        add(r.first, c.second, (1 - r.weight) * c.weight);
        add(r.second, c.first, r.weight * (1 - c.weight));
        add(r.second, c.second, r.weight * c.weight);
        result.value.push_back(sum);
        result.magnitude.push_back(magnitude);
      }
  return result;
}

}  // namespace kernelgen::reference
