#pragma once
#include "device/dialect.hpp"

namespace kg {

/// The strides of the operands along the innermost dim, as constants.
template <i64... Step>
struct InnerStrides {};

}  // namespace kg
