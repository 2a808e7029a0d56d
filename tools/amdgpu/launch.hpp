#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "wave.hpp"

namespace kernelgen::amdgpu {

/// The kernarg segment: the caller's arguments and the hidden ones (AMDGPUUsage, "Kernel Argument Metadata").
std::vector<std::byte> kernarg_segment(const Kernel& kernel, std::span<const std::byte> arguments,
                                       Extent grid, Extent block, std::uint32_t dynamic_lds_bytes);

/// An hsa_kernel_dispatch_packet_t.
std::vector<std::byte> dispatch_packet(const Launch& launch);

/// Makes `block.waves` as the hardware starts them (AMDGPUUsage, "Initial Kernel Execution State").
void start_block(Block& block, const Instruction* entry);

/// Runs the waves of a block in rounds, from barrier to barrier, to their end.
void run_block(Block& block, std::uint64_t most_instructions);

}  // namespace kernelgen::amdgpu
