#pragma once
#include "device/device_state.hpp"
#include "ops/arguments.hpp"

namespace kernelgen {

/// Throws Error(bad_package).
[[noreturn]] void refuse_arguments(const Device& device, std::uint32_t kernel, std::size_t bytes);

/// Puts a kernel of the device's packages into the stream; every operation's launches go through here. Throws
/// Error(bad_package), and launches nothing, where the package's kernel takes another number of bytes than
/// `arguments` has: it would read past the block. Else throws what Device::kernel and Device::launch do.
inline void launch(const Device& device, std::uint32_t kernel, const LaunchShape& shape,
                   const Arguments& arguments, const Stream& stream) {
  const Function function = device.kernel(kernel);
  const std::span<const std::byte> block = arguments.bytes();
  if (state_of(device).kernels().argument_bytes(kernel) != block.size()) [[unlikely]]
    refuse_arguments(device, kernel, block.size());
  device.launch(function, shape, block, stream);
}

}  // namespace kernelgen
