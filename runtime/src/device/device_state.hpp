#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
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
#include "device/loaded_kernel.hpp"
#include "device/random_state.hpp"
#include "device/stream_order.hpp"
#include "driver/driver.hpp"
#include "kernelgen/device.hpp"

namespace kernelgen {

class Capture;

/// Released device memory that only enqueued work still uses.
struct ReleasedMemory {
  void* data;
  std::size_t bytes;
  Stream stream;
  std::shared_ptr<void> owner;                          ///< null for the driver's own memory
  std::vector<std::shared_ptr<Timeline>> readers = {};  ///< other queues that use it
};

/// Released host memory that only work enqueued on those queues still uses.
struct PinnedBlock {
  void* data;
  std::size_t bytes;
  std::vector<std::shared_ptr<Timeline>> queues;
};

/// A custom module loaded on a device; unloaded with its last user.
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
  /// Null if the module has no kernel of that name. Valid as long as the module. Thread-safe.
  LoadedKernel* kernel(std::string_view name);
  /// The arguments of a kernel of the module; nothing if neither the driver nor the code describes them.
  std::optional<std::vector<KernelArgument>> arguments(const LoadedKernel& kernel,
                                                       std::string_view name) const;

 private:
  /// Bytes the driver may read while the module is loaded; copied if needed, so the caller may free its own.
  std::span<const std::byte> kept(std::span<const std::byte> code) {
    if (!driver_.reads_code_later()) return code;
    code_.assign(code.begin(), code.end());
    return code_;
  }

  Driver& driver_;
  ModuleCount& count_;
  std::vector<std::byte> code_;
  void* handle_;
  std::mutex mutex_;
  std::map<std::string, LoadedKernel, std::less<>> kernels_;
};

/// State shared by all copies of an opened Device: its driver, packages and loaded kernels. Lives as long as
/// any Device, Stream, Event or Module of it. Thread-safe.
class DeviceState : public std::enable_shared_from_this<DeviceState> {
 public:
  /// Throws the errors of KernelTable.
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
  /// The first package passed to open().
  const Package& package() const { return kernels_.packages().front(); }
  KernelTable& kernels() { return kernels_; }
  const KernelTable& kernels() const { return kernels_; }
  /// CPU: threads per grid, including the caller. 0 on a GPU.
  int threads() const { return driver_->threads(); }
  RandomState& random() { return random_; }
  IndexFaults& index_faults() { return index_faults_; }
  Attachments& attachments() { return attachments_; }
  LaunchObserver& observer() { return observer_; }

  /// The driver's handle of a stream; during a capture, the captured stream's handle for the default queue.
  /// Throws Error(invalid_argument) for a stream of another device, or one that accepts no work during a
  /// capture.
  void* queue(const Stream& stream) const {
    if (driver_->is_any_captured()) [[unlikely]]
      return queue_beside_capture(stream);
    return handle_of(stream);
  }
  /// The graph this thread captures on the device, or null.
  Capture* capture() const noexcept;
  /// Throws Error(invalid_argument) during a capture: `what` cannot be captured.
  void refuse_in_capture(std::string_view what) const {
    if (driver_->is_any_captured()) [[unlikely]]
      refuse_in_own_capture(what);
  }
  /// The stream itself, or this thread's default stream if default streams are per thread.
  const Stream& resolved(const Stream& stream) const {
    return stream.impl_ == nullptr && has_thread_streams_ ? thread_stream() : stream;
  }
  const Stream& thread_stream() const;
  void use_thread_streams(bool own) { has_thread_streams_ = own; }
  /// The timeline of a stream of this device. Not valid during captures.
  const std::shared_ptr<Timeline>& timeline(const Stream& stream) const;
  StreamOrder& stream_order() { return stream_order_; }
  /// Whether memory uses are tracked, so that Storage::use has an effect.
  bool follows_uses() const noexcept {
    return stream_order_.is_followed() || (driver_->is_any_captured() && stream_order_.is_wanted());
  }
  /// Frees the memory, or defers to a graph: one this thread captures, or one captured in the memory's
  /// stream.
  void release(ReleasedMemory memory) noexcept;
  void release_pinned(PinnedBlock block) noexcept;
  /// Makes future work of `later` wait for work now in `earlier`. Ignores a stream that is being captured.
  void order_after(const Stream& later, const Stream& earlier) noexcept;
  /// Upper bound of the host's memory in bytes.
  static std::size_t most_host_bytes();
  /// The bad-index state of a stream. Throws the errors of queue().
  const std::shared_ptr<FaultQueue>& fault_queue(const Stream& stream);
  /// Waits for the stream. Throws Error(index_out_of_range) for a bad index met in it, and the errors of
  /// queue().
  void synchronize(const Stream& stream) {
    refuse_in_capture("waiting for a stream");
    Timeline& queue = *timeline(stream);
    const Timeline::Moment passed = queue.pass();
    index_faults_.synchronize_stream(*fault_queue(stream));
    queue.set_done(passed);
    if (observer_.is_on()) [[unlikely]]
      observer_.write_trace();
  }

  /// Loads every module the packages have for the device, looks up all kernels, and allocates permanent
  /// buffers.
  void preload();

  /// Enqueues the launch. Throws Error(invalid_argument) for an empty grid or block, a block larger than the
  /// kernel was compiled for, and a wrong argument size; up to seven bytes of padding after the last argument
  /// are dropped.
  void launch(const LoadedKernel& kernel, const LaunchShape& shape, std::span<const std::byte> arguments,
              void* stream) {
    if (shape.grid[0] == 0 || shape.grid[1] == 0 || shape.grid[2] == 0 || shape.block[0] == 0 ||
        shape.block[1] == 0 || shape.block[2] == 0 || has_too_many_threads(shape, kernel.most_threads))
        [[unlikely]]
      refuse_launch(kernel, shape);
    if (arguments.size() != kernel.argument_bytes && kernel.argument_bytes != LoadedKernel::unknown)
        [[unlikely]]
      arguments = without_padding(kernel, arguments);
    void* const function = kernel.function;
    if (observer_.is_on()) [[unlikely]]
      return observer_.around(
          {observer_.name_of(function), shape, arguments.size(), stream, capture() != nullptr},
          [&] { driver_->launch(function, shape, arguments, stream); });
    driver_->launch(function, shape, arguments, stream);
  }

  const ModuleCount& module_count() const { return module_count_; }
  /// The module of these bytes; loads it unless it is still loaded.
  std::shared_ptr<LoadedModule> load_module(std::span<const std::byte> code, std::string_view name);

 private:
  friend class Capture;

  void* handle_of(const Stream& stream) const;
  void* queue_beside_capture(const Stream& stream) const;
  void refuse_in_own_capture(std::string_view what) const;
  /// Requires the capture mutex to be held.
  bool is_captured(const Stream& stream) const;
  bool is_captured(const ReleasedMemory& memory) const;
  void order_after(Timeline& later, const std::shared_ptr<Timeline>& earlier) noexcept;

  struct CustomModule {
    ContentHash hash;
    std::size_t bytes;
    std::weak_ptr<LoadedModule> module;
  };

  /// Avoids overflow for any input.
  static bool has_too_many_threads(const LaunchShape& shape, std::uint32_t most) {
    const std::uint64_t plane = std::uint64_t{shape.block[0]} * shape.block[1];
    return plane > most || plane * shape.block[2] > most;
  }
  [[noreturn]] void refuse_launch(const LoadedKernel& kernel, const LaunchShape& shape) const;
  std::span<const std::byte> without_padding(const LoadedKernel& kernel,
                                             std::span<const std::byte> arguments) const;

  const DeviceKind kind_;
  const int ordinal_;
  const std::uint64_t id_;
  const std::string location_;
  const std::unique_ptr<Driver> driver_;
  ModuleCount module_count_;
  mutable std::mutex capture_mutex_;
  Capture* any_capture_ = nullptr;  ///< any thread's capture
  std::mutex custom_mutex_;
  std::vector<CustomModule> custom_;
  RandomState random_;
  IndexFaults index_faults_;
  StreamOrder stream_order_;
  std::atomic<bool> has_thread_streams_{false};
  LaunchObserver observer_;
  KernelTable kernels_;
  Attachments attachments_;  ///< declared last: destroyed while the driver is alive
};

/// Access to the state of an open device.
struct DeviceAccess {
  static DeviceState& state(const Device& device) { return *device.state_; }
};
inline DeviceState& state_of(const Device& device) { return DeviceAccess::state(device); }

/// Text for errors about tensors on two devices: how they differ and how to fix the call.
std::string describe_two(const DeviceState& a, const DeviceState& b);

}  // namespace kernelgen
