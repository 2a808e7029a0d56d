/// How many blocks fit on a device, and what HIP tells of a kernel.
#include "amdgpu/hip/occupancy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "amdgpu/hip/function.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

/// hipFuncAttributes
struct FunctionAttributes {
  int binary_version, cache_mode_ca;
  std::size_t constant_bytes, private_bytes;
  int max_dynamic_shared_bytes, max_block, registers, preferred_carveout, ptx_version;
  std::size_t shared_bytes;
};
static_assert(offsetof(FunctionAttributes, registers) == 32 && sizeof(FunctionAttributes) == 56);

constexpr unsigned scalar_registers = 800, scalar_unit = 16;  // of a SIMD, up to gfx9

unsigned round_up(unsigned value, unsigned unit) { return (value + unit - 1) / unit * unit; }

int tell_occupancy(int* blocks, Gpu& gpu, const Kernel& kernel, int block_items, std::size_t shared_bytes) {
  if (blocks == nullptr || block_items <= 0) return hipErrorInvalidValue;
  *blocks = blocks_at_once(gpu, kernel, static_cast<unsigned>(block_items), shared_bytes);
  return hipSuccess;
}

/// The block that leaves most waves on a multiprocessor, the largest of them.
int tell_best_block(int* grid, int* block, Gpu& gpu, const Kernel& kernel, std::size_t shared_bytes,
                    int limit) {
  const auto wave = static_cast<unsigned>(gpu.wave_size());
  const unsigned most =
      limit > 0 ? std::min(kernel.max_block, static_cast<unsigned>(limit)) : kernel.max_block;
  unsigned best = 0, best_items = 0;
  for (unsigned items = wave; items <= round_up(most, wave); items += wave) {
    const unsigned held = items * static_cast<unsigned>(blocks_at_once(gpu, kernel, items, shared_bytes));
    if (held < best_items || held == 0) continue;
    best = std::min(items, most);
    best_items = held;
  }
  *block = static_cast<int>(best);
  *grid = best == 0 ? 0 : gpu.compute_units * blocks_at_once(gpu, kernel, best, shared_bytes);
  return hipSuccess;
}

}  // namespace

Multiprocessor multiprocessor_of(const Isa& isa) {
  // LLVM, AMDGPUBaseInfo.cpp: getMaxWavesPerEU, getTotalNumVGPRs, getVGPRAllocGranule.
  if (isa.major == 9) {
    const unsigned lds = isa.lds_banks() == 64 ? 160 * 1024 : 64 * 1024;
    return isa.is_gfx90a() || isa.is_gfx940() ? Multiprocessor{8, 512, 8, lds}
                                              : Multiprocessor{10, 256, 4, lds};
  }
  constexpr unsigned lds = 128 * 1024;
  if (isa.major == 10)
    return isa.minor < 3 ? Multiprocessor{20, 1024, 8, lds} : Multiprocessor{16, 1024, 16, lds};
  return {16, 1536, 24, lds};
}

int blocks_at_once(const Gpu& gpu, const Kernel& kernel, unsigned block_items,
                   std::size_t dynamic_lds_bytes) {
  const Multiprocessor has = multiprocessor_of(gpu.simulator.isa());
  const unsigned lanes = kernel.wave_size;
  const unsigned waves_a_block = (block_items + lanes - 1) / lanes;
  // A wave of 64 lanes takes two of the registers of 32.
  const unsigned vgprs = has.vgprs * static_cast<unsigned>(gpu.wave_size()) / lanes;
  unsigned waves =
      std::min(has.waves, vgprs / std::max(round_up(kernel.vgprs, has.vgpr_unit), has.vgpr_unit));
  if (gpu.simulator.isa().major == 9)
    waves = std::min(waves, scalar_registers / std::max(round_up(kernel.sgprs, scalar_unit), scalar_unit));
  std::size_t blocks = waves * Multiprocessor::simds / waves_a_block;
  const std::size_t lds = kernel.lds_bytes + dynamic_lds_bytes;
  if (lds != 0) blocks = std::min(blocks, has.lds_bytes / lds);
  return static_cast<int>(blocks);
}

KERNELGEN_HIP int hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int block_items,
                                                               std::size_t shared_bytes) {
  return with_kernel(host, [&](Gpu& gpu, const Function& function) {
    return tell_occupancy(blocks, gpu, *function.kernel, block_items, shared_bytes);
  });
}

KERNELGEN_HIP int hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host,
                                                                        int block_items,
                                                                        std::size_t shared_bytes, unsigned) {
  return hipOccupancyMaxActiveBlocksPerMultiprocessor(blocks, host, block_items, shared_bytes);
}

KERNELGEN_HIP int hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function,
                                                                     int block_items,
                                                                     std::size_t shared_bytes) {
  return with_gpu([&](Gpu& gpu) {
    return tell_occupancy(blocks, gpu, *static_cast<const Function*>(function)->kernel, block_items,
                          shared_bytes);
  });
}

KERNELGEN_HIP int hipOccupancyMaxPotentialBlockSize(int* grid, int* block, const void* host,
                                                    std::size_t shared_bytes, int limit) {
  return with_kernel(host, [&](Gpu& gpu, const Function& function) {
    return tell_best_block(grid, block, gpu, *function.kernel, shared_bytes, limit);
  });
}

KERNELGEN_HIP int hipModuleOccupancyMaxPotentialBlockSize(int* grid, int* block, void* function,
                                                          std::size_t shared_bytes, int limit) {
  return with_gpu([&](Gpu& gpu) {
    return tell_best_block(grid, block, gpu, *static_cast<const Function*>(function)->kernel, shared_bytes,
                           limit);
  });
}

KERNELGEN_HIP int hipFuncGetAttributes(void* attributes, const void* host) {
  return with_kernel(host, [&](Gpu& gpu, const Function& function) {
    const Kernel& kernel = *function.kernel;
    const Isa& isa = gpu.simulator.isa();
    FunctionAttributes values{};
    values.binary_version = values.ptx_version = static_cast<int>(isa.major * 10 + isa.minor);
    values.private_bytes = kernel.private_bytes;
    values.shared_bytes = kernel.lds_bytes;
    values.max_dynamic_shared_bytes = static_cast<int>(gpu.block_lds_bytes() - kernel.lds_bytes);
    values.max_block = static_cast<int>(kernel.max_block);
    values.registers = static_cast<int>(kernel.vgprs);
    std::memcpy(attributes, &values, sizeof values);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipFuncSetAttribute(const void* host, int, int) {
  return with_kernel(host, [](Gpu&, const Function&) { return hipSuccess; });
}

KERNELGEN_HIP int hipFuncSetCacheConfig(const void* host, int) { return hipFuncSetAttribute(host, 0, 0); }

}  // namespace kernelgen::amdgpu::hip
