#pragma once
#include <functional>

#include "driver/device_memory.hpp"
#include "driver/gpu_driver.hpp"

namespace kernelgen {

/// Measures device time of work in one stream; the host enqueues it ahead of time.
class Stopwatch {
 public:
  Stopwatch(GpuDriver& driver, void* stream);

  /// The fastest of a few runs; fewer if they take many times `least`. work() enqueues the work; if it
  /// returns false, the time is infinite.
  double milliseconds(const std::function<bool()>& work, double least) const;

 private:
  GpuDriver& driver_;
  void* const stream_;
  const DeviceMemory filled_;  ///< keeps the device busy while work is enqueued after it
};

}  // namespace kernelgen
