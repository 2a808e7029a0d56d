#pragma once
#include <cstdint>

namespace kernelgen {

/// A kernel loaded on a device, and the constraints on its launches. Function::handle points to one.
struct LoadedKernel {
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  void* function = nullptr;                ///< the driver's
  std::uint32_t argument_bytes = unknown;  ///< of its argument block, without padding after the last argument
  std::uint32_t most_threads = unknown;    ///< maximum per block
};

}  // namespace kernelgen
