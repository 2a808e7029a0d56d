#pragma once
#include <cstdint>
#include <mutex>

namespace kernelgen {

/// Where a device's random numbers stand. Thread-safe; a lock, because a seed and the calls counted under it
/// belong together.
class RandomState {
 public:
  /// What tells one call's numbers from another's.
  struct Draw {
    std::uint64_t seed;
    std::uint64_t call;
  };

  Draw next() {
    const std::lock_guard lock(mutex_);
    return {seed_, calls_++};
  }
  std::uint64_t seed() {
    const std::lock_guard lock(mutex_);
    return seed_;
  }
  /// Calls are counted from 0 again.
  void set_seed(std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    seed_ = seed;
    calls_ = 0;
  }

 private:
  std::mutex mutex_;
  std::uint64_t seed_ = 299792458;  // candle's
  std::uint64_t calls_ = 0;
};

}  // namespace kernelgen
