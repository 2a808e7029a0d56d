#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device/timeline.hpp"
#include "kernelgen/device.hpp"

namespace kernelgen {

/// Tracks the streams that use memory, so that conflicting work waits on the device and memory is freed after
/// all of it. Thread-safe; with a single stream, a use costs one comparison.
class StorageUses {
 public:
  /// Memory that is there for work of the stream.
  explicit StorageUses(Stream stream) : writer_(std::move(stream)) {}

  /// Call before work that reads or writes the memory is enqueued. Throws Error(device).
  void add(DeviceState& state, const Stream& stream, Access access);
  /// The host has waited for all uses.
  void set_done() noexcept;

  /// The stream that wrote last, or allocated the memory.
  Stream writer() const;
  /// Queues that have read since the last write.
  std::vector<std::shared_ptr<Timeline>> readers() const;

 private:
  struct Reader {
    std::shared_ptr<Timeline> queue;
    Timeline::Moment last;
  };

  /// Requires the mutex.
  void add_reader(Reader reader);

  std::atomic<const Timeline*> only_{nullptr};  ///< the writer's, if no other queue has read since
  std::atomic<Timeline::Moment> written_{Timeline::unknown},
      used_{Timeline::unknown};  ///< last, by the writer
  mutable std::mutex mutex_;     ///< guards the members below
  Stream writer_;
  std::vector<Reader> readers_;
};

}  // namespace kernelgen
