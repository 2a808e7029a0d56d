#pragma once
#include <cstdint>

namespace kernelgen::amdgpu {

/// What a checked launch detects in addition to accesses outside of allocations.
struct CheckOptions {
  std::uint64_t seed = 1;  ///< of the order of waves and of the values that stand for uninitialised ones
  bool natural_alignment =
      false;  ///< vector accesses at multiples of their size, at most 4; the hardware wants none
};

}  // namespace kernelgen::amdgpu
