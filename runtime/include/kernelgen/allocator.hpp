#pragma once
#include <cstddef>
#include <functional>

namespace kernelgen {

/// Where a device's memory comes from instead of its driver: another framework's allocator, say. Both functions are called by
/// any thread, at the same time too, and throw nothing. `stream` is the driver's handle, null for the default queue.
struct Allocator {
  /// Memory of the device for work that is put into the stream from now on, of that many bytes or more, aligned to 256
  /// bytes (on the CPU to 64). Null where there is none: it is then asked once more, after all streams were waited for.
  std::function<void*(std::size_t bytes, void* stream)> allocate;
  /// Takes back what `allocate` gave, while work that is in the stream may still use it.
  std::function<void(void* memory, std::size_t bytes, void* stream)> free;
};

}  // namespace kernelgen
