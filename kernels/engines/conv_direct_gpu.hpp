#pragma once
#include "engines/conv_runs.hpp"

namespace kg {

/// For few output channels a group, as in depthwise convolutions.
template <class T>
KG_DEVICE void conv_direct(const T* x, const T* weight, T* y, const ConvShape& shape) {
  detail::conv_runs(x, weight, y, shape);
}

}  // namespace kg
