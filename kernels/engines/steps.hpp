#pragma once
#include "device/dialect.hpp"

namespace kg {

/// How each operand steps along the innermost dim.
template <i64... Step>
struct Steps {};

}  // namespace kg
