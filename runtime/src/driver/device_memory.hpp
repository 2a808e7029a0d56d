#pragma once
#include "driver/driver.hpp"

namespace kernelgen {

/// Uninitialised memory for work in one stream, freed in stream order; owned by the graph during a capture.
class DeviceMemory {
 public:
  /// Throws Error(out_of_memory).
  DeviceMemory(Driver& driver, std::size_t bytes, void* stream)
      : driver_(driver), bytes_(bytes), stream_(stream), source_(driver.capture_memory()) {
    if (source_ == nullptr)
      data_ = driver.allocate(bytes, stream);
    else
      of_graph_ = source_->take(bytes);
  }
  ~DeviceMemory() {
    if (source_ == nullptr) driver_.free(data_, bytes_, stream_);
  }
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  void* data() const { return source_ == nullptr ? data_ : of_graph_.get(); }  ///< null for 0 bytes

 private:
  Driver& driver_;
  const std::size_t bytes_;
  void* const stream_;
  GraphMemorySource* const source_;
  void* data_ = nullptr;
  std::shared_ptr<void> of_graph_;
};

}  // namespace kernelgen
