#pragma once
#include "device/device_state.hpp"
#include "ops/arguments.hpp"

namespace kernelgen {

/// Throws Error(bad_package).
[[noreturn]] void refuse_arguments(const Device& device, std::uint32_t kernel, std::size_t bytes);

/// Enqueues a kernel of the device's packages; every operation launches through this function. Throws
/// Error(bad_package), and launches nothing, if the kernel's argument size differs from that of `arguments`:
/// the kernel would read past the block. Also throws the errors of Device::kernel and Device::launch.
inline void launch(const Device& device, std::uint32_t kernel, const LaunchShape& shape,
                   const Arguments& arguments, const Stream& stream) {
  const Function function = device.kernel(kernel);
  const std::span<const std::byte> block = arguments.bytes();
  if (state_of(device).kernels().argument_bytes(kernel) != block.size()) [[unlikely]]
    refuse_arguments(device, kernel, block.size());
  device.launch(function, shape, block, stream);
}

}  // namespace kernelgen
