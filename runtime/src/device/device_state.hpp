#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/content_hash.hpp"
#include "device/attachments.hpp"
#include "device/index_faults.hpp"
#include "device/kernel_table.hpp"
#include "device/launch_observer.hpp"
#include "device/random_state.hpp"
#include "device/stream_order.hpp"
#include "driver/driver.hpp"
#include "kernelgen/device.hpp"

namespace kernelgen {

class Capture;

/// Memory of a device that nobody uses any more but work that was put into the stream.
struct ReleasedMemory {
  void* data;
  std::size_t bytes;
  Stream stream;
  std::shared_ptr<void> owner;                          ///< null for memory of the driver's own
  std::vector<std::shared_ptr<Timeline>> readers = {};  ///< other queues that use it
};

/// Memory of the host that nobody uses any more but work that was put into those queues.
struct PinnedBlock {
  void* data;
  std::size_t bytes;
  std::vector<std::shared_ptr<Timeline>> queues;
};

/// A custom module loaded on a device, unloaded with its last user.
class LoadedModule {
 public:
  LoadedModule(Driver& driver, ModuleCount& count, std::span<const std::byte> code, std::string_view name)
      : driver_(driver), count_(count), handle_(driver.load_module(kept(code), name)) {
    count_.add();
  }
  ~LoadedModule() {
    driver_.unload_module(handle_);
    --count_.loaded;
  }
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;

  void* handle() const { return handle_; }
  /// Of the module's function of that name; nothing where neither the driver nor the code says it.
  std::optional<std::vector<KernelArgument>> arguments(void* function, std::string_view kernel) const;

 private:
  /// What the driver may read as long as the module is loaded: the caller's bytes may go before that.
  std::span<const std::byte> kept(std::span<const std::byte> code) {
    if (!driver_.reads_code_later()) return code;
    code_.assign(code.begin(), code.end());
    return code_;
  }

  Driver& driver_;
  ModuleCount& count_;
  std::vector<std::byte> code_;
  void* handle_;
};

/// What all copies of an opened Device share: its driver, its packages, and the kernels loaded so far. Lives
/// as long as a Device, Stream, Event or Module of it. Thread-safe.
class DeviceState : public std::enable_shared_from_this<DeviceState> {
 public:
  /// Throws what KernelTable does.
  DeviceState(DeviceKind kind, int ordinal, std::string location, std::unique_ptr<Driver> driver,
              std::vector<Package> packages);
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  DeviceKind kind() const { return kind_; }
  int ordinal() const { return ordinal_; }
  std::uint64_t id() const { return id_; }
  const std::string& location() const { return location_; }
  Driver& driver() const { return *driver_; }
  /// The first.
  const Package& package() const { return kernels_.packages().front(); }
  KernelTable& kernels() { return kernels_; }
  const KernelTable& kernels() const { return kernels_; }
  /// CPU: threads a grid is spread over, the caller included. 0 on a GPU.
  int threads() const { return driver_->threads(); }
  RandomState& random() { return random_; }
  IndexFaults& index_faults() { return index_faults_; }
  Attachments& attachments() { return attachments_; }
  LaunchObserver& observer() { return observer_; }

  /// The driver's handle of a stream; where this thread captures a graph, of the captured one for the default queue.
  /// Throws Error(invalid_argument) for one of another device, and one that no work may be put into for a capture.
  void* queue(const Stream& stream) const {
    if (driver_->is_any_captured()) [[unlikely]]
      return queue_beside_capture(stream);
    return handle_of(stream);
  }
  /// The graph that this thread captures on the device; null where it captures none.
  Capture* capture() const noexcept;
  /// Throws Error(invalid_argument) where it captures one: `what` cannot be part of it.
  void refuse_in_capture(std::string_view what) const {
    if (driver_->is_any_captured()) [[unlikely]]
      refuse_in_own_capture(what);
  }
  /// The stream, or this thread's own for the default queue where each thread has one.
  const Stream& resolved(const Stream& stream) const {
    return stream.impl_ == nullptr && has_thread_streams_ ? thread_stream() : stream;
  }
  const Stream& thread_stream() const;
  void use_thread_streams(bool own) { has_thread_streams_ = own; }
  /// Of a stream of this device. Outside of captures.
  const std::shared_ptr<Timeline>& timeline(const Stream& stream) const;
  StreamOrder& stream_order() { return stream_order_; }
  /// Whether Storage::use is worth a call.
  bool follows_uses() const noexcept {
    return stream_order_.is_followed() || (driver_->is_any_captured() && stream_order_.is_wanted());
  }
  /// Frees the memory, or lets a graph keep it that this thread captures, or another one in the memory's stream.
  void release(ReleasedMemory memory) noexcept;
  void release_pinned(PinnedBlock block) noexcept;
  /// Lets work of one stream wait for what is in another now. A stream that is being captured is left as it is.
  void order_behind(const Stream& later, const Stream& earlier) noexcept;
  /// Bytes that the host could hold at most.
  static std::size_t most_host_bytes();
  /// What is known of the bad indices met in a stream. Throws as queue().
  const std::shared_ptr<FaultQueue>& fault_queue(const Stream& stream);
  /// Waits for the stream. Throws Error(index_out_of_range) for a bad index met in it, and as queue().
  void synchronize(const Stream& stream) {
    refuse_in_capture("waiting for a stream");
    Timeline& queue = *timeline(stream);
    const Timeline::Moment passed = queue.pass();
    index_faults_.synchronize_stream(*fault_queue(stream));
    queue.set_done(passed);
    if (observer_.is_on()) [[unlikely]]
      observer_.write_trace();
  }

  /// Loads every module the packages have for the device, looks up all kernels, and takes what memory calls
  /// keep for good.
  void preload();

  /// Throws Error(invalid_argument) for a grid or block without threads; else puts the launch into the
  /// stream.
  void launch(void* function, const LaunchShape& shape, std::span<const std::byte> arguments, void* stream) {
    if (shape.grid[0] == 0 || shape.grid[1] == 0 || shape.grid[2] == 0 || shape.block[0] == 0 ||
        shape.block[1] == 0 || shape.block[2] == 0) [[unlikely]]
      refuse_launch(shape);
    if (observer_.is_on()) [[unlikely]]
      return observer_.around(
          {observer_.name_of(function), shape, arguments.size(), stream, capture() != nullptr},
          [&] { driver_->launch(function, shape, arguments, stream); });
    driver_->launch(function, shape, arguments, stream);
  }

  const ModuleCount& module_count() const { return module_count_; }
  /// The module of these bytes, loaded now unless somebody still holds it.
  std::shared_ptr<LoadedModule> load_module(std::span<const std::byte> code, std::string_view name);

 private:
  friend class Capture;

  void* handle_of(const Stream& stream) const;
  void* queue_beside_capture(const Stream& stream) const;
  void refuse_in_own_capture(std::string_view what) const;
  /// The mutex of captures is held.
  bool is_captured(const Stream& stream) const;
  bool is_captured(const ReleasedMemory& memory) const;
  void order_behind(Timeline& later, const std::shared_ptr<Timeline>& earlier) noexcept;

  struct CustomModule {
    ContentHash hash;
    std::size_t bytes;
    std::weak_ptr<LoadedModule> module;
  };

  [[noreturn]] void refuse_launch(const LaunchShape& shape) const;

  const DeviceKind kind_;
  const int ordinal_;
  const std::uint64_t id_;
  const std::string location_;
  const std::unique_ptr<Driver> driver_;
  ModuleCount module_count_;
  mutable std::mutex capture_mutex_;
  Capture* any_capture_ = nullptr;  ///< some thread's
  std::mutex custom_mutex_;
  std::vector<CustomModule> custom_;
  RandomState random_;
  IndexFaults index_faults_;
  StreamOrder stream_order_;
  std::atomic<bool> has_thread_streams_{false};
  LaunchObserver observer_;
  KernelTable kernels_;
  Attachments attachments_;  ///< last, so that they go while the driver is there
};

/// Of a device that is open.
struct DeviceAccess {
  static DeviceState& state(const Device& device) { return *device.state_; }
};
inline DeviceState& state_of(const Device& device) { return DeviceAccess::state(device); }

/// For messages about tensors of two devices: how they differ and what to do.
std::string describe_two(const DeviceState& a, const DeviceState& b);

}  // namespace kernelgen
