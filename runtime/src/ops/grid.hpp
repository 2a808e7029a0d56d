#pragma once
#include <algorithm>
#include <cstdint>

#include "device/device_state.hpp"
#include "plan/abi.hpp"

namespace kernelgen {

/// Elements below which a CPU thread is not worth waking.
inline constexpr std::int64_t cpu_grain = 16 * 1024;

/// The launch of that many blocks of kg::block_threads.
inline LaunchShape block_grid(std::int64_t blocks) {
  LaunchShape shape;
  shape.grid[0] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, 0x7fffffff));
  shape.block[0] = kg::block_threads;
  return shape;
}

/// The launch for element-wise work over n elements, `per_thread` of them a GPU thread.
inline LaunchShape element_grid(DeviceState& device, std::int64_t n, int per_thread) {
  const int threads = device.threads();
  if (threads == 0) {
    const std::int64_t per_block = std::int64_t{kg::block_threads} * per_thread;
    return block_grid(n / per_block + (n % per_block != 0 ? 1 : 0));
  }
  // A few blocks a thread, so that one that falls behind hands work to the others.
  LaunchShape shape;
  const std::int64_t blocks = n / cpu_grain + (n % cpu_grain != 0 ? 1 : 0);
  shape.grid[0] =
      static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, threads == 1 ? 1 : threads * 4));
  return shape;
}

}  // namespace kernelgen
