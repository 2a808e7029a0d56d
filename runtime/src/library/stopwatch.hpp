#pragma once
#include <functional>

#include "driver/device_memory.hpp"
#include "driver/gpu_driver.hpp"

namespace kernelgen {

/// Measures what work takes on the device, in one stream, while the host puts it there ahead of time.
class Stopwatch {
 public:
  Stopwatch(GpuDriver& driver, void* stream);

  /// Of the fastest of a few runs; of fewer where they take many times `least`. work() puts it into the stream; where it
  /// says false, it took forever.
  double milliseconds(const std::function<bool()>& work, double least) const;

 private:
  GpuDriver& driver_;
  void* const stream_;
  const DeviceMemory filled_;  ///< to keep the device busy while work is put behind it
};

}  // namespace kernelgen
