#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "driver/memory_count.hpp"
#include "kernelgen/allocator.hpp"
#include "kernelgen/device_kind.hpp"
#include "kernelgen/kernel_argument.hpp"
#include "kernelgen/launch_shape.hpp"
#include "kernelgen/priority.hpp"

namespace kernelgen {

struct DeviceInfo {
  std::string name;
  std::string architecture;  ///< "gfx90a:sramecc+:xnack-", "sm_90", "x86-64-v3"
  std::size_t total_memory = 0;
  int wave_size = 1;
  int compute_units = 1;
  bool is_simulated = false;  ///< a GPU in software, for which no vendor's library has kernels
};

/// Allocator of memory for captured work.
class GraphMemorySource {
 public:
  virtual ~GraphMemorySource() = default;
  /// Uninitialised memory, freed with the last copy of the pointer; null for 0 bytes. Throws
  /// Error(out_of_memory).
  virtual std::shared_ptr<void> take(std::size_t bytes) = 0;
};

/// An instantiated graph, as the driver's handle.
struct ExecutableGraph {
  void* handle = nullptr;
  std::size_t nodes = 0;  ///< launches, copies and fills
};

/// One opened device of a driver. Streams, events, modules and functions are opaque handles of the
/// driver that created them; a null stream is the device's default queue. All functions are thread-safe.
/// Functions that can fail throw Error(device) with the driver's message; noexcept functions ignore failures
/// caused by an earlier error, which the next call reports.
class Driver {
 public:
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const DeviceInfo& info() const { return info_; }
  virtual std::size_t free_memory() = 0;
  /// CPU threads per grid, including the launching one; 0 on a GPU.
  virtual int threads() const { return 0; }
  /// Whether the threads are awake for an immediate launch.
  virtual bool are_threads_awake() const { return true; }

  /// Uninitialised memory for future work of `stream`; null for 0 bytes. If memory is short, frees cached
  /// memory first and waits for all streams, unless a capture is active. Throws Error(out_of_memory).
  void* allocate(std::size_t bytes, void* stream);
  /// Frees memory after everything now in `stream` is done. `bytes` is the allocated size.
  void free(void* memory, std::size_t bytes, void* stream) noexcept;
  MemoryCount& memory() { return memory_; }
  /// Installs an allocator; an empty function restores the default. Earlier allocations return to the
  /// allocator they came from.
  void set_allocator(Allocator allocator);
  /// Bytes that are freed and cached for reuse.
  virtual std::size_t cached_memory() = 0;
  /// Returns cached memory to the system, without waiting.
  virtual void trim_memory() = 0;
  /// Pinned host memory for asynchronous copies; null for 0 bytes. Throws Error(out_of_memory).
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  /// Frees after the work now in the stream.
  virtual void free_pinned(void* memory, std::size_t bytes, void* stream) noexcept = 0;

  /// Enqueues copies and fills on the stream. Host memory must not change until the stream is synchronised.
  virtual void copy_to_device(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  /// The same from this device to another, in a stream of this device; returns whether a path exists.
  virtual bool copy_to_peer(Driver& peer, void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual void fill(void* to, std::uint8_t value, std::size_t bytes, void* stream) = 0;

  virtual void* create_stream(Priority priority) = 0;
  /// Enqueued work still completes.
  virtual void destroy_stream(void* stream) noexcept = 0;
  virtual void synchronize_stream(void* stream) = 0;
  /// Waits for all streams. Requires that captures are held off.
  virtual void synchronize() = 0;

  /// Records a new event at the stream's current end.
  virtual void* record_event(void* stream) = 0;
  virtual void destroy_event(void* event) noexcept = 0;
  virtual void synchronize_event(void* event) = 0;
  /// Makes future work of `stream` wait for the event.
  virtual void wait_event(void* stream, void* event) = 0;
  /// Makes future work of `later` wait for what is in `earlier` now.
  virtual void order(void* later, void* earlier) = 0;
  /// Enqueues a host call function(data), which must not call the driver; later work waits for it.
  virtual void call_host(void* stream, void (*function)(void* data), void* data) = 0;
  virtual double milliseconds_between(void* start, void* end) = 0;

  /// Loads a code object. Its bytes may be freed afterwards, unless the driver reads_code_later(). `name` is
  /// for messages.
  virtual void* load_module(std::span<const std::byte> code, std::string_view name) = 0;
  /// Whether a module's bytes must stay valid until it is unloaded.
  virtual bool reads_code_later() const { return false; }
  /// All launches of its kernels must be done.
  virtual void unload_module(void* module) noexcept = 0;
  /// Null if the module has no such kernel.
  virtual void* find_function(void* module, std::string_view kernel) = 0;
  /// The arguments of a function of the module; nothing if the driver does not know them.
  virtual std::optional<std::vector<KernelArgument>> arguments(void* module, void* function,
                                                               std::string_view kernel) = 0;
  /// `arguments` is copied, or consumed on the CPU, before the call returns.
  virtual void launch(void* function, const LaunchShape& shape, std::span<const std::byte> arguments,
                      void* stream) = 0;

  /// Begins a capture: this thread's work goes into a graph instead of being executed. One thread at a time
  /// captures on a device; others wait. The thread must not capture on another device. Throws
  /// Error(unsupported) if the driver has no graphs.
  void begin_capture(void* stream, GraphMemorySource& memory);
  /// Ends this thread's capture and returns the graph, to be passed to discard_graph() or make_executable().
  void* end_capture();
  /// Holds off captures, for waits on the whole device: the driver would reject the wait and invalidate the
  /// capture.
  std::unique_lock<std::mutex> hold_captures() { return std::unique_lock(capture_mutex_); }
  bool is_any_captured() const noexcept { return captures_.load(std::memory_order_relaxed) != 0; }
  /// The allocator of this thread's capture on this device; null without a capture.
  GraphMemorySource* capture_memory() const noexcept;

  virtual void discard_graph(void* graph) noexcept = 0;
  /// Takes the graph unless it throws.
  virtual ExecutableGraph make_executable(void* graph) = 0;
  /// Updates the executable to the graph, takes the graph and returns an empty string; else returns the
  /// driver's reason and leaves both unchanged.
  virtual std::string update_executable(ExecutableGraph& executable, void* graph) = 0;
  /// Runs after all earlier launches of the executable. One thread at a time.
  virtual void launch_executable(const ExecutableGraph& executable, void* stream) = 0;
  /// `stream` is the stream of the last launch, which may be in flight.
  virtual void destroy_executable(const ExecutableGraph& executable, void* stream) noexcept = 0;

 protected:
  Driver() = default;
  /// Allocates at least one byte.
  virtual void* take_memory(std::size_t bytes, void* stream) = 0;
  virtual void give_memory(void* memory, std::size_t bytes, void* stream) noexcept = 0;
  virtual void start_capture(void* stream) = 0;
  virtual void* finish_capture(void* stream) = 0;

  DeviceInfo info_;

 private:
  /// Calls the installed allocator, or the driver's.
  void* take(std::size_t bytes, void* stream);
  std::shared_ptr<const Allocator> allocator_of(void* memory) noexcept;
  void* allocate_again(std::size_t bytes, void* stream);
  /// Completes pending frees and returns the memory to the system.
  void make_room() noexcept;

  MemoryCount memory_;
  std::atomic<bool> had_allocator_{false};
  std::mutex allocator_mutex_;
  std::shared_ptr<const Allocator> allocator_;
  std::unordered_map<void*, std::shared_ptr<const Allocator>> allocated_;  ///< blocks from an allocator, and
                                                                           ///< which one
  std::mutex capture_mutex_;                                               ///< held by the capturing thread
  std::atomic<int> captures_{0};
};

/// The number of devices of that kind; 0 without a driver library.
int count_devices(DeviceKind kind);

/// Opens a device. `threads` is for the CPU: their number including the caller; 0 for its share of the cores
/// available to this process. Throws Error(unsupported) if the driver library or the ordinal does not exist.
std::unique_ptr<Driver> open_driver(DeviceKind kind, int ordinal, int threads);

/// Opens an AMD GPU in software, "gfx942". Throws Error(unsupported) if the simulator's library does not exist or does not
/// simulate that processor.
std::unique_ptr<Driver> open_simulated_driver(const std::string& processor);

}  // namespace kernelgen
