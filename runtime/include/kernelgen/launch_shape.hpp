#pragma once
#include <cstdint>

namespace kernelgen {

/// Grid and block of a launch, and bytes of dynamic shared memory. On the CPU one thread runs a whole block.
struct LaunchShape {
  std::uint32_t grid[3] = {1, 1, 1};
  std::uint32_t block[3] = {1, 1, 1};
  std::uint32_t shared_bytes = 0;
};

}  // namespace kernelgen
