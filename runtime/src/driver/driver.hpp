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
};

/// Where work that goes into a graph has its memory from.
class GraphMemorySource {
 public:
  virtual ~GraphMemorySource() = default;
  /// Uninitialised memory, given back by the last copy of the pointer; null for 0 bytes. Throws Error(out_of_memory).
  virtual std::shared_ptr<void> take(std::size_t bytes) = 0;
};

/// A captured graph made ready to be launched, as its driver knows it.
struct ExecutableGraph {
  void* handle = nullptr;
  std::size_t nodes = 0;  ///< launches, copies and fills
};

/// One opened device, as its driver offers it. Streams, events, modules and functions are opaque handles of
/// the driver that made them; a null stream is the device's default queue. All functions are thread-safe.
/// Those that can fail throw Error(device) with the driver's own words; those marked noexcept give up what is
/// already lost to an earlier error, which the next call reports.
class Driver {
 public:
  virtual ~Driver() = default;
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const DeviceInfo& info() const { return info_; }
  virtual std::size_t free_memory() = 0;
  /// CPU threads a grid is spread over, the launching one included; 0 on a GPU.
  virtual int threads() const { return 0; }
  /// Whether these need not be woken for a launch that comes now.
  virtual bool are_threads_awake() const { return true; }

  /// Uninitialised memory, usable by work put into `stream` from now on; null for 0 bytes. Where there is none, what is
  /// kept unused is given up first, and the work in all streams waited for, unless something is captured.
  /// Throws Error(out_of_memory).
  void* allocate(std::size_t bytes, void* stream);
  /// Gives memory back after everything now in `stream` is done. `bytes` is what it was allocated with.
  void free(void* memory, std::size_t bytes, void* stream) noexcept;
  MemoryCount& memory() { return memory_; }
  /// Memory comes from there from now on; from the driver again where it has no functions. What was allocated before goes
  /// back to where it came from.
  void set_allocator(Allocator allocator);
  /// Bytes that were freed and are kept for allocations to come.
  virtual std::size_t cached_memory() = 0;
  /// Gives them back to the system, without a wait.
  virtual void trim_memory() = 0;
  /// Memory of the host that the device copies from and to while the host does other things; null for 0 bytes. Throws
  /// Error(out_of_memory).
  virtual void* allocate_pinned(std::size_t bytes) = 0;
  /// Behind what is in the stream now.
  virtual void free_pinned(void* memory, std::size_t bytes, void* stream) noexcept = 0;

  /// Copies and fills are put into the stream. Host memory must stay as it is until the stream is
  /// synchronised.
  virtual void copy_to_device(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual void copy_to_host(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual void copy_on_device(void* to, const void* from, std::size_t bytes, void* stream) = 0;
  /// The same from this device to another, in a stream of this one's; whether there is a way.
  virtual bool copy_to_peer(Driver& peer, void* to, const void* from, std::size_t bytes, void* stream) = 0;
  virtual void fill(void* to, std::uint8_t value, std::size_t bytes, void* stream) = 0;

  virtual void* create_stream(Priority priority) = 0;
  /// Its work is still done.
  virtual void destroy_stream(void* stream) noexcept = 0;
  virtual void synchronize_stream(void* stream) = 0;
  /// Waits for all streams. With captures held.
  virtual void synchronize() = 0;

  /// A new event at the stream's present end.
  virtual void* record_event(void* stream) = 0;
  virtual void destroy_event(void* event) noexcept = 0;
  virtual void synchronize_event(void* event) = 0;
  /// Work put into `stream` from now on waits for the event.
  virtual void wait_event(void* stream, void* event) = 0;
  /// Work put into `later` from now on waits for what is in `earlier` now.
  virtual void order(void* later, void* earlier) = 0;
  /// Has the host call function(data), which calls no driver, when what is in the stream now is done; what comes later
  /// waits for that.
  virtual void call_host(void* stream, void (*function)(void* data), void* data) = 0;
  virtual double milliseconds_between(void* start, void* end) = 0;

  /// Loads a code object. Its bytes are not needed afterwards, unless the driver reads_code_later(). `name` is for
  /// messages.
  virtual void* load_module(std::span<const std::byte> code, std::string_view name) = 0;
  /// Whether the bytes of a module must stay as they are until it is unloaded.
  virtual bool reads_code_later() const { return false; }
  /// Launches of its kernels must be done.
  virtual void unload_module(void* module) noexcept = 0;
  /// Null when the module has no such kernel.
  virtual void* find_function(void* module, std::string_view kernel) = 0;
  /// The arguments of a function of the module; nothing where the driver does not know them.
  virtual std::optional<std::vector<KernelArgument>> arguments(void* module, void* function,
                                                               std::string_view kernel) = 0;
  /// `arguments` is copied, or on the CPU used up, before the call returns.
  virtual void launch(void* function, const LaunchShape& shape, std::span<const std::byte> arguments,
                      void* stream) = 0;

  /// From now on nothing that this thread puts into the stream is done: it goes into a graph. One thread at a time
  /// captures on a device, others wait for their turn. The thread captures on no other device. Throws Error(unsupported)
  /// where the driver has no graphs.
  void begin_capture(void* stream, GraphMemorySource& memory);
  /// Ends what this thread began and gives the graph, which discard_graph() or make_executable() takes.
  void* end_capture();
  /// Nobody captures while it is held, as nobody may who waits for the whole device: the driver would refuse, and spoil
  /// what is captured.
  std::unique_lock<std::mutex> hold_captures() { return std::unique_lock(capture_mutex_); }
  bool is_any_captured() const noexcept { return captures_.load(std::memory_order_relaxed) != 0; }
  /// What this thread's capture on this device has its memory from; null where it captures nothing here.
  GraphMemorySource* capture_memory() const noexcept;

  virtual void discard_graph(void* graph) noexcept = 0;
  /// Takes the graph, if it does not throw.
  virtual ExecutableGraph make_executable(void* graph) = 0;
  /// Makes the executable do what the graph does, which it takes, and gives an empty text; else why the driver cannot,
  /// and both are as they were.
  virtual std::string update_executable(ExecutableGraph& executable, void* graph) = 0;
  /// Behind all earlier launches of the executable. One thread at a time.
  virtual void launch_executable(const ExecutableGraph& executable, void* stream) = 0;
  /// `stream` is where it was launched last, which may not be done.
  virtual void destroy_executable(const ExecutableGraph& executable, void* stream) noexcept = 0;

 protected:
  Driver() = default;
  /// Of at least one byte.
  virtual void* take_memory(std::size_t bytes, void* stream) = 0;
  virtual void give_memory(void* memory, std::size_t bytes, void* stream) noexcept = 0;
  virtual void start_capture(void* stream) = 0;
  virtual void* finish_capture(void* stream) = 0;

  DeviceInfo info_;

 private:
  /// The allocator's, or the driver's own.
  void* take(std::size_t bytes, void* stream);
  std::shared_ptr<const Allocator> allocator_of(void* memory) noexcept;
  void* allocate_again(std::size_t bytes, void* stream);
  /// Lets freed memory become free, and gives it up.
  void make_room() noexcept;

  MemoryCount memory_;
  std::atomic<bool> had_allocator_{false};
  std::mutex allocator_mutex_;
  std::shared_ptr<const Allocator> allocator_;
  std::unordered_map<void*, std::shared_ptr<const Allocator>> allocated_;  ///< by an allocator, and which
  std::mutex capture_mutex_;  ///< held by the thread that captures
  std::atomic<int> captures_{0};
};

/// How many devices of that kind there are; 0 without a driver library.
int count_devices(DeviceKind kind);

/// Opens a device. `threads` is for the CPU: how many, the caller included; 0 for its share of the cores that this process
/// may use. Throws Error(unsupported) where the driver library or the ordinal does not exist.
std::unique_ptr<Driver> open_driver(DeviceKind kind, int ordinal, int threads);

}  // namespace kernelgen
