#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "common/quotient.hpp"
#include "kernelgen/launch_shape.hpp"
#include "plan/abi.hpp"
#include "plan/device_traits.hpp"

/// Launch shapes that all families use.
namespace kernelgen {

/// Minimum elements per awake CPU thread.
inline constexpr std::int64_t cpu_grain = 16 * 1024;
/// Minimum elements that justify waking a CPU thread: it starts 35 µs later, 20 of which the caller waits.
inline constexpr std::int64_t cpu_waking_grain = 256 * 1024;

/// The least power of two that is at least `least`, capped at `most`.
inline std::uint32_t power_of_two(std::int64_t least, std::uint32_t most) {
  return std::min(most, std::bit_ceil(static_cast<std::uint32_t>(std::clamp<std::int64_t>(least, 1, most))));
}

/// Threads of a GPU block of which at most `busy` have work; more threads would only delay those. Waves are
/// 32 or 64 wide; a block need not be a multiple of them.
inline std::uint32_t block_of(std::int64_t busy) {
  return static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(quotient_up<std::int64_t>(busy, 32) * 32, 32, kg::block_threads));
}

/// A launch of `blocks` blocks with `threads` threads each.
inline LaunchShape block_grid(std::int64_t blocks, std::uint32_t threads = kg::block_threads) {
  LaunchShape shape;
  shape.grid[0] = static_cast<std::uint32_t>(std::clamp<std::int64_t>(blocks, 1, 0x7fffffff));
  shape.block[0] = threads;
  return shape;
}

/// The same on any device: on a CPU one thread runs a whole block.
inline LaunchShape block_grid(std::int64_t blocks, const DeviceTraits& device) {
  return block_grid(blocks, device.on_cpu() ? 1 : kg::block_threads);
}

/// A launch of `groups` groups of `threads` threads, a power of two up to kg::block_threads.
inline LaunchShape group_grid(std::int64_t groups, std::uint32_t threads) {
  return block_grid(quotient_up<std::int64_t>(groups, kg::block_threads / threads),
                    block_of(std::min<std::int64_t>(groups, kg::block_threads) * threads));
}

/// The launch for element-wise work on n elements, with `per_thread` elements per GPU thread.
inline LaunchShape element_grid(std::int64_t n, int per_thread, const DeviceTraits& device) {
  if (!device.on_cpu()) return group_grid(quotient_up<std::int64_t>(n, per_thread), 1);
  // A few blocks per thread balance the load.
  const std::int64_t most = device.threads == 1 ? 1 : device.threads * 4;
  const std::int64_t blocks =
      n <= cpu_waking_grain && !device.are_threads_awake ? 1 : quotient_up(n, cpu_grain);
  return block_grid(std::min(blocks, most), 1);
}

/// The launch of `tasks` indivisible tasks on a CPU, which process n elements in total.
inline LaunchShape cpu_task_grid(std::int64_t tasks, std::int64_t n, const DeviceTraits& device) {
  return block_grid(std::min<std::int64_t>(tasks, element_grid(n, 1, device).grid[0]), 1);
}

}  // namespace kernelgen
