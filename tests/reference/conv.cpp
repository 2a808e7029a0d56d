#include "conv.hpp"

#include "strided.hpp"

namespace kernelgen::reference {
namespace {

std::vector<Real> values_of(const Elements& elements) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < elements.count(); ++i) values.push_back(real_at(elements, i));
  return values;
}

std::size_t index_of(const Shape& shape, std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  return static_cast<std::size_t>(((a * shape[1] + b) * shape[2] + c) * shape[3] + d);
}

/// Calls visit(image element, weight, output element), all by number, for every product there is: `small` is the
/// image that strides are counted in, `large` the one they step over.
template <class F>
void each_product(const Shape& small, const Shape& large, const Shape& weight, const Window& window,
                  F&& visit) {
  const std::int64_t small_channels = small[1] / window.groups, large_channels = large[1] / window.groups;
  for (std::int64_t batch = 0; batch < small[0]; ++batch)
    for (std::int64_t group = 0; group < window.groups; ++group)
      for (std::int64_t s = 0; s < small_channels; ++s)
        for (std::int64_t l = 0; l < large_channels; ++l)
          for (std::int64_t row = 0; row < small[2]; ++row)
            for (std::int64_t column = 0; column < small[3]; ++column)
              for (std::int64_t r = 0; r < weight[2]; ++r)
                for (std::int64_t c = 0; c < weight[3]; ++c) {
                  const std::int64_t y =
                      row * window.stride.rows + r * window.dilation.rows - window.padding.rows;
                  const std::int64_t x =
                      column * window.stride.columns + c * window.dilation.columns - window.padding.columns;
                  if (y < 0 || y >= large[2] || x < 0 || x >= large[3]) continue;
                  const std::int64_t channel = group * small_channels + s;
                  visit(index_of(small, batch, channel, row, column),
                        index_of(large, batch, group * large_channels + l, y, x),
                        index_of(weight, channel, l, r, c));
                }
}

Sums zeros(const Shape& shape) {
  const auto count = static_cast<std::size_t>(count_of(shape));
  return {std::vector<Real>(count), std::vector<Real>(count)};
}

void add(Sums& sums, std::size_t at, Real product) {
  sums.value[at] += product;
  sums.magnitude[at] += std::abs(product);
}

}  // namespace

Shape conv_shape(const Shape& x, const Shape& weight, const Window& window) {
  const auto extent = [](std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         std::int64_t dilation) {
    return (in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
  };
  return {x[0], weight[0],
          extent(x[2], weight[2], window.stride.rows, window.padding.rows, window.dilation.rows),
          extent(x[3], weight[3], window.stride.columns, window.padding.columns, window.dilation.columns)};
}

Sums conv(const Elements& x, const Shape& x_shape, const Elements& weight, const Shape& weight_shape,
          const Window& window) {
  const std::vector<Real> images = values_of(x), kernels = values_of(weight);
  const Shape shape = conv_shape(x_shape, weight_shape, window);
  Sums sums = zeros(shape);
  each_product(shape, x_shape, weight_shape, window, [&](std::size_t out, std::size_t in, std::size_t at) {
    add(sums, out, images[in] * kernels[at]);
  });
  return sums;
}

Shape conv_transpose_shape(const Shape& x, const Shape& weight, const Window& window) {
  const auto extent = [](std::int64_t in, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                         std::int64_t dilation, std::int64_t output_padding) {
    return (in - 1) * stride - 2 * padding + dilation * (kernel - 1) + output_padding + 1;
  };
  return {x[0], weight[1] * window.groups,
          extent(x[2], weight[2], window.stride.rows, window.padding.rows, window.dilation.rows,
                 window.output_padding.rows),
          extent(x[3], weight[3], window.stride.columns, window.padding.columns, window.dilation.columns,
                 window.output_padding.columns)};
}

Sums conv_transpose(const Elements& x, const Shape& x_shape, const Elements& weight,
                    const Shape& weight_shape, const Window& window) {
  const std::vector<Real> images = values_of(x), kernels = values_of(weight);
  const Shape shape = conv_transpose_shape(x_shape, weight_shape, window);
  Sums sums = zeros(shape);
  each_product(x_shape, shape, weight_shape, window, [&](std::size_t in, std::size_t out, std::size_t at) {
    add(sums, out, images[in] * kernels[at]);
  });
  return sums;
}

}  // namespace kernelgen::reference
