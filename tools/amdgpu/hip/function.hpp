#pragma once
#include <memory>
#include <vector>

#include "amdgpu/hip/gpu.hpp"

namespace kernelgen::amdgpu::hip {

/// A kernel that programs launch.
struct Function {
  std::shared_ptr<Module> module;
  const Kernel* kernel;
};

/// The kernel's own arguments, from one pointer each.
std::vector<std::byte> gather(const Kernel& kernel, void** parameters);

/// Launches in a stream, on the device of the module.
int launch(const Function& function, Extent grid, Extent block, std::uint32_t shared_bytes, void* stream,
           std::vector<std::byte> arguments);

}  // namespace kernelgen::amdgpu::hip
