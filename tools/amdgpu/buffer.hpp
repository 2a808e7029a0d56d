#pragma once
#include "lane_memory.hpp"

namespace kernelgen::amdgpu {

/// Where the lanes of a buffer_ instruction access memory.
struct BufferAccess {
  Space space = Space::global;
  Addresses at{};
  std::uint64_t inside = 0;  ///< lanes of EXEC whose bytes are in the buffer
};

/// Of an access of `bytes` a lane. Operands: vaddr, descriptor, soffset from `first` on.
BufferAccess buffer_access(Wave& wave, const Instruction& in, std::size_t first, unsigned bytes);

}  // namespace kernelgen::amdgpu
