#pragma once
#include <cstddef>
#include <functional>

namespace kernelgen {

/// Replaces the source of a device's memory, for instance by another framework's allocator. Both functions
/// are called by any thread, also concurrently, and must not throw. `stream` is the driver's handle, null for
/// the default queue.
struct Allocator {
  /// Returns device memory for work enqueued in the stream from now on: at least `bytes` bytes, aligned to
  /// 256 bytes (on the CPU to 64). Returns null if there is not enough; it is then called once more, after a
  /// wait for all streams.
  std::function<void*(std::size_t bytes, void* stream)> allocate;
  /// Frees memory returned by `allocate`. Work in the stream may still use it.
  std::function<void(void* memory, std::size_t bytes, void* stream)> free;
};

}  // namespace kernelgen
