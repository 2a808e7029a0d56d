#pragma once
#include "amdgpu/hip/gpu.hpp"

namespace kernelgen::amdgpu::hip {

/// What HIP calls a multiprocessor: a compute unit, from RDNA on a work-group processor; it has four SIMDs.
struct Multiprocessor {
  unsigned waves;      ///< a SIMD holds at most
  unsigned vgprs;      ///< a SIMD has for each lane, in waves of `Gpu::wave_size`
  unsigned vgpr_unit;  ///< that a wave gets them by
  unsigned lds_bytes;

  unsigned threads(unsigned wave_size) const { return waves * simds * wave_size; }

  static constexpr unsigned simds = 4;
};
Multiprocessor multiprocessor_of(const Isa& isa);

/// How many blocks of a kernel one multiprocessor holds: limited by waves, registers and LDS.
int blocks_at_once(const Gpu& gpu, const Kernel& kernel, unsigned block_items, std::size_t dynamic_lds_bytes);

}  // namespace kernelgen::amdgpu::hip
