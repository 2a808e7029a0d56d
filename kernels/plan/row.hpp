#pragma once
/// What the kernels that work on whole rows (engines/row.hpp) share with their caller.
#include "plan/abi.hpp"

namespace kg {

/// Elements of a row that a GPU's thread holds in registers: 128 bytes, widened.
constexpr unsigned held_elements(unsigned widened_bytes) { return 128 / widened_bytes; }

}  // namespace kg
