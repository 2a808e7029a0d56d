#pragma once
/// Division of triangular systems into work for blocks, shared by their kernel and its caller.
#include "plan/abi.hpp"

namespace kg {

/// Right-hand sides that a block solves at a time.
inline constexpr unsigned solve_strip = 32;

}  // namespace kg
