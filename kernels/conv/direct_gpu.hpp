#pragma once
#include "conv/per_element.hpp"

namespace kg {

/// For few output channels per group, as in depthwise convolutions.
template <class T>
KG_DEVICE void conv_direct(const T* x, const T* weight, T* y, const ConvShape& shape) {
  detail::conv_per_element(x, weight, y, shape);
}

}  // namespace kg
