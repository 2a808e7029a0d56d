#pragma once
#include "element.hpp"
#include "image.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen::reference {

/// How a kernel slides over an image.
struct Window {
  Pair stride{1, 1}, padding{0, 0}, dilation{1, 1}, output_padding{0, 0};
  std::int64_t groups = 1;
};

/// Shapes are [batch, channels, rows, columns]; weights [out, in / groups, rows, columns].
Shape conv_shape(const Shape& x, const Shape& weight, const Window& window);
/// Each output element is the sum, over the input channels of its group and the kernel, of weights times the
/// input elements under them; those outside the image do not count.
Sums conv(const Elements& x, const Shape& x_shape, const Elements& weight, const Shape& weight_shape,
          const Window& window);

/// Weights [in, out / groups, rows, columns].
Shape conv_transpose_shape(const Shape& x, const Shape& weight, const Window& window);
/// Each input element is spread over the output elements that a convolution would have computed from it.
Sums conv_transpose(const Elements& x, const Shape& x_shape, const Elements& weight,
                    const Shape& weight_shape, const Window& window);

}  // namespace kernelgen::reference
