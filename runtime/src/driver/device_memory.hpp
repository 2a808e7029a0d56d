#pragma once
#include "driver/driver.hpp"

namespace kernelgen {

/// Uninitialised memory for work in one stream, given back in that stream's order.
class DeviceMemory {
 public:
  /// Throws Error(out_of_memory).
  DeviceMemory(Driver& driver, std::size_t bytes, void* stream)
      : driver_(driver), bytes_(bytes), stream_(stream), data_(driver.allocate(bytes, stream)) {}
  ~DeviceMemory() { driver_.free(data_, bytes_, stream_); }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* data() const { return data_; }  ///< null for 0 bytes

 private:
  Driver& driver_;
  const std::size_t bytes_;
  void* const stream_;
  void* const data_;
};

}  // namespace kernelgen
