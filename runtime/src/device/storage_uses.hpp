#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device/timeline.hpp"
#include "kernelgen/device.hpp"

namespace kernelgen {

/// In which streams memory is used, so that work which meets other work in it waits for that on the device, and that it is
/// freed behind all of it. Thread-safe; where one stream uses the memory, a use costs a comparison.
class StorageUses {
 public:
  /// Memory that is there for work of the stream.
  explicit StorageUses(Stream stream) : writer_(std::move(stream)) {}

  /// Before work that reads or writes the memory is put into the stream. Throws Error(device).
  void add(DeviceState& state, const Stream& stream, Access access);
  /// The host has waited for all of it.
  void set_done() noexcept;

  /// The stream that wrote it last, or that it was made for.
  Stream writer() const;
  /// Those that have read since.
  std::vector<std::shared_ptr<Timeline>> readers() const;

 private:
  struct Reader {
    std::shared_ptr<Timeline> queue;
    Timeline::Moment last;
  };

  /// The mutex is held.
  void add_reader(Reader reader);

  std::atomic<const Timeline*> only_{nullptr};  ///< the writer's, where nobody else has read since
  std::atomic<Timeline::Moment> written_{Timeline::unknown},
      used_{Timeline::unknown};  ///< last, by the writer
  mutable std::mutex mutex_;     ///< of what follows
  Stream writer_;
  std::vector<Reader> readers_;
};

}  // namespace kernelgen
