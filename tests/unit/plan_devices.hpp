#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

/// Devices that plans are tested for; none of them has to be present.
namespace kernelgen::test {

inline DeviceTraits gpu(DeviceKind kind, int compute_units, int wave_size) {
  return {.kind = kind, .compute_units = compute_units, .wave_size = wave_size};
}
inline const DeviceTraits mi = gpu(DeviceKind::hip, 120, 64), radeon = gpu(DeviceKind::hip, 96, 32),
                          apu = gpu(DeviceKind::hip, 8, 32), hopper = gpu(DeviceKind::cuda, 132, 32);
inline const std::vector<DeviceTraits> gpus{mi, radeon, apu, hopper};

inline DeviceTraits cpu(int threads, bool are_awake = true) {
  return {.kind = DeviceKind::cpu, .threads = threads, .are_threads_awake = are_awake};
}
inline const std::vector<DeviceTraits> devices{mi, radeon, apu, hopper, cpu(1), cpu(16), cpu(16, false)};

/// For messages.
inline std::string name_of(const DeviceTraits& device) {
  if (device.on_cpu()) return "CPU of " + std::to_string(device.threads) + " threads";
  return "GPU of " + std::to_string(device.compute_units) + " units, waves of " +
         std::to_string(device.wave_size);
}

inline std::int64_t blocks_of(const LaunchShape& shape) {
  return std::int64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
}
inline std::int64_t threads_of(const LaunchShape& shape) { return blocks_of(shape) * shape.block[0]; }

/// A grid that any driver accepts, and blocks that the kernels are compiled for.
inline bool is_valid(const LaunchShape& shape, std::uint32_t most_threads = 256) {
  return shape.grid[0] >= 1 && shape.grid[0] <= 0x7fffffff && shape.grid[1] == 1 && shape.grid[2] == 1 &&
         shape.block[0] >= 1 && shape.block[0] <= most_threads && shape.block[1] == 1 && shape.block[2] == 1;
}

inline bool is_group(std::uint32_t threads, std::uint32_t most = 256) {
  return std::has_single_bit(threads) && threads <= most;
}

/// Sizes from 1 to `most`, uniform in their logarithm, with the ends more often.
class Sizes {
 public:
  static constexpr std::uint64_t seed = 20260;
  std::int64_t operator()(std::int64_t most) {
    if (random_() % 8 == 0) return random_() % 2 == 0 ? 1 : most;
    const double bits =
        std::uniform_real_distribution<double>(0, std::log2(static_cast<double>(most)))(random_);
    return std::min(most, static_cast<std::int64_t>(std::exp2(bits)));
  }
  bool flip() { return random_() % 2 == 0; }

 private:
  std::mt19937_64 random_{seed};
};

}  // namespace kernelgen::test
