#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "amdgpu/hip/gpu.hpp"

namespace kernelgen::amdgpu::hip {

/// A kernel that programs launch.
struct Function {
  std::shared_ptr<Module> module;
  const Kernel* kernel;
};

/// Calls `use` with the kernel, on the calling thread's device, that a program registered for one of its addresses.
int with_kernel(const void* host, const std::function<int(Gpu&, const Function&)>& use);

/// The kernel's own arguments, from one pointer each.
std::vector<std::byte> gather(const Kernel& kernel, void** parameters);

/// Launches in a stream, on the device of the module.
int launch(const Function& function, Extent grid, Extent block, std::uint32_t shared_bytes, void* stream,
           std::vector<std::byte> arguments);

/// Runs `work` between the records of two events, each of which may be null.
int between_events(void* start, void* stop, void* stream, const std::function<int()>& work);

}  // namespace kernelgen::amdgpu::hip
