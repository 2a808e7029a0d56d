#pragma once
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

#include "interface.hpp"
#include "kernelgen/transfer.hpp"

namespace kernelgen::ggml {

/// Copies between a device's buffers and host memory of any kind. Pageable memory goes through a pinned block, chunk by
/// chunk; memory of a pinned buffer is copied by the device while the host continues. Thread-safe.
class Transfers {
 public:
  explicit Transfers(const Device& device) : device_(device), stream_(device.new_stream()) {}

  /// For copies that belong to no back end.
  const Stream& stream() const { return stream_; }
  /// Waits for the copy, except of pinned memory.
  void set(const Tensor& to, const void* from, const Stream& stream);
  void get(void* to, const Tensor& from, const Stream& stream);

  /// Makes memory known as pinned until it is forgotten.
  void add_pinned(const PinnedMemory& memory);
  void remove_pinned(const PinnedMemory& memory);

 private:
  /// Copies through the pinned block: `copy(offset, bytes, block)` for each chunk.
  void in_chunks(std::size_t bytes,
                 const std::function<void(std::size_t, std::size_t, const PinnedMemory&)>& copy);
  /// The pinned memory that contains the range, and the range's offset there; null if none does.
  PinnedMemory find_pinned(const void* data, std::size_t bytes, std::size_t& offset);

  Device device_;
  Stream stream_;
  std::mutex mutex_;
  PinnedMemory block_;
  std::vector<PinnedMemory> pinned_;
};

}  // namespace kernelgen::ggml
