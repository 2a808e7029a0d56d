#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "wave.hpp"

namespace kernelgen::amdgpu {

/// The kernarg segment: the caller's arguments and the hidden ones (AMDGPUUsage, "Kernel Argument Metadata").
/// Throws Fault (arguments): there are too few or too many bytes.
std::vector<std::byte> kernarg_segment(const Kernel& kernel, std::span<const std::byte> arguments,
                                       Extent grid, Extent block, std::uint32_t dynamic_lds_bytes);

/// A flag for each byte of that segment: whether the caller or the simulator gave it. The host's services (printf, malloc,
/// queues of kernels) are not there, so their pointers were not given.
std::vector<std::uint8_t> kernarg_given(const Kernel& kernel, std::size_t argument_bytes);

/// An hsa_kernel_dispatch_packet_t.
std::vector<std::byte> dispatch_packet(const Launch& launch);

/// Makes `block.waves` as the hardware starts them (AMDGPUUsage, "Initial Kernel Execution State"). In a checked launch
/// what the hardware leaves undefined is poison.
void start_block(Block& block, const Instruction* entry);

/// Runs the waves of a block in rounds, from barrier to barrier, to their end.
void run_block(Block& block, std::uint64_t most_instructions);

}  // namespace kernelgen::amdgpu
