#pragma once
/// The argument of scaled_softmax, shared with its caller.
#include "plan/abi.hpp"

namespace kg {

struct ScaledSoftmaxShape {
  Strided<3> rows;  ///< offsets, in elements, of each row in the mask, the slopes and the sinks
  long long mask_step;
  double scale;
  unsigned mask_is_half;  ///< f16, else f32
};

}  // namespace kg
