#pragma once
#include <cstdint>
#include <mutex>

namespace kernelgen {

/// State of a device's random generator. Thread-safe; a lock keeps the seed and its call count consistent.
class RandomState {
 public:
  /// Identifies one call's random numbers.
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
  /// Resets the call count to 0.
  void set_seed(std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    seed_ = seed;
    calls_ = 0;
  }

 private:
  std::mutex mutex_;
  std::uint64_t seed_ = 299792458;  // candle's default
  std::uint64_t calls_ = 0;
};

}  // namespace kernelgen
