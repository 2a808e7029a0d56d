#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/allocator.hpp"
#include "kernelgen/compile.hpp"
#include "kernelgen/device_kind.hpp"
#include "kernelgen/kernel_argument.hpp"
#include "kernelgen/launch_shape.hpp"
#include "kernelgen/package.hpp"
#include "kernelgen/priority.hpp"

namespace kernelgen {

class DeviceState;  // what copies of a Device share
class Graph;        // graph.hpp

/// A queue of work on one device: what is put in runs in that order. Copies share the same queue; the last
/// one to go destroys it after its work is done. A default-constructed Stream is the device's own default
/// queue.
///
/// An operation by index (ops/index.hpp) that meets a bad index is heard of by those who wait for its stream, by
/// synchronize() or by reading a tensor: Error(index_out_of_range) for the first bad index of the earliest such call,
/// once. Of the default queue each thread hears what its own calls met, and then what those of threads met that have
/// ended. Work of a graph counts as done in the streams that the graph is launched in.
class Stream {
 public:
  Stream() = default;
  /// Waits until everything in the queue is done. Throws what the device reported, and Error(index_out_of_range) for
  /// a bad index met in the queue since it was last waited for.
  void synchronize() const;
  /// Driver handle (hipStream_t, CUstream); null for the default queue and on the CPU device.
  void* native() const;

 private:
  friend class Capture;
  friend class Device;
  friend class DeviceState;
  struct Impl;
  explicit Stream(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// What work does with memory.
enum class Access { read, write };

/// A point in a stream. Timing counts device time where the driver offers it, else the host clock.
class Event {
 public:
  /// Waits until the event's point is reached. Throws as Stream::synchronize does, for what was put into the stream
  /// before the event; where there was more behind it, the stream's own wait tells it again.
  void synchronize() const;
  /// Milliseconds from `start` to this event, both recorded and reached.
  double milliseconds_since(const Event& start) const;

 private:
  friend class Device;
  struct Impl;
  explicit Event(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// Bytes of a device's memory, as this process uses it through one Device and its copies.
struct MemoryUse {
  std::size_t in_use;  ///< allocated, and not freed
  std::size_t peak;    ///< most that were in use since the device was opened, or reset_peak_memory()
  std::size_t cached;  ///< freed, and kept for allocations to come
  std::size_t free;    ///< that could be allocated now, cached ones among them
  std::size_t total;   ///< that the device has
  std::size_t limit;   ///< on what is in use; the largest number where none is set
};

/// A launch, as those see it who look on.
struct LaunchInfo {
  std::string_view
      kernel;  ///< "kg_matmul_f16_tiled"; of a graph "graph of 40 nodes", whose other numbers are 0
  LaunchShape shape;
  std::size_t argument_bytes;
  void* stream;      ///< the driver's; null for the default queue
  bool is_captured;  ///< for a graph, and not done yet
};

/// A kernel loaded on one device. Valid as long as the Device (or the Module it came from).
struct Function {
  void* handle = nullptr;
};

class Device;

/// Code loaded on one device beside the package: a user's own code object. Unloaded with its last copy.
class Module {
 public:
  Device device() const;
  /// Throws Error(not_found) naming the kernel.
  Function function(std::string_view kernel) const;
  /// The kernel's arguments, as the code says: a CPU target's "NAME_args" (kernels/device/cpu.hpp), an AMD code object's metadata,
  /// CUDA's driver from 12.4 on. Nothing where none of these says it. Throws Error(not_found) naming the kernel.
  std::optional<std::vector<KernelArgument>> arguments(std::string_view kernel) const;
  /// Throws Error(invalid_argument) where the code says that the kernel takes others than these, and as arguments().
  void check_arguments(std::string_view kernel, std::span<const KernelArgument> given) const;
  /// What the compiler said of a module of Device::compile, warnings say; empty for others.
  const std::string& log() const;

 private:
  friend class Device;
  struct Impl;
  explicit Module(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// Modules of a device: of its package, of a program's own, and of expressions.
struct ModuleUse {
  std::size_t loaded;  ///< that are there now
  std::size_t loads;   ///< since the device was opened
};

/// An opened device with the packages whose kernels it runs. Copies share it; all functions are thread-safe.
class Device {
 public:
  Device() = default;

  /// Opens `cpu`, `cpu:N` (N worker threads), `hip:N`, `cuda:N`, or `auto` (the first GPU that has kernels in
  /// the package, else the CPU). With KERNELGEN_CPU_DEVICES=K the CPU is K devices, each with a share of its cores, so that
  /// programs for several can be tried: `cpu`, `cpu.1` … `cpu.1:N`. Opening the same name with the same package twice gives
  /// the same device ("cpu:01" is "cpu:1").
  /// Throws Error(not_found) for a name it does not know, Error(unsupported) where no driver library, no such
  /// ordinal or no code object for the architecture is found; the message lists everything tried.
  static Device open(std::string_view name, const Package& package = Package::embedded());
  /// The same with several packages, such as your own before the embedded one: of operations and kernels of one name, those
  /// of the first package that has one are used, and kernels' ids count on from package to package. Each has to have code for
  /// the device. Throws Error(invalid_argument) without a package.
  static Device open(std::string_view name, std::span<const Package> packages);

  /// How many devices of a kind the driver sees; 0 without a driver.
  static int count(DeviceKind kind);

  DeviceKind kind() const;
  int ordinal() const;
  /// Unique in this process, never reused.
  std::uint64_t id() const;
  /// "cpu", "hip:0"
  std::string location() const;
  /// Marketing name.
  std::string name() const;
  /// "gfx90a:sramecc+:xnack-", "sm_90", "x86-64-v3"
  std::string architecture() const;
  /// The first package's target chosen for it ("gfx90a", "gfx11-generic", …).
  std::string target() const;
  std::size_t total_memory() const;
  std::size_t free_memory() const;
  /// Throws Error(device).
  MemoryUse memory_use() const;
  /// An allocation with which more bytes would be in use is Error(out_of_memory), as one is that the driver refuses after
  /// what is cached was given up and all streams were waited for. The device is usable as before.
  void set_memory_limit(std::size_t bytes) const;
  void reset_peak_memory() const;
  /// Memory comes from there from now on, or again from where it came from at first, for one without functions: a GPU's pool,
  /// a cache of ours where its driver has none, and on the CPU. What was allocated before goes back to where it came from.
  /// Counts and limit hold for it too. Throws Error(invalid_argument) for one with only one of the functions.
  void set_allocator(Allocator allocator) const;
  /// Gives what is cached back to the system, but for what work that is not done yet may use. Throws Error(device).
  void trim_memory() const;
  int wave_size() const;
  int compute_units() const;
  /// Whether there is code for this device of any kernel that reads or writes bf16. What there is runs on
  /// every device it is chosen for: those without instructions for bf16 compute in f32. Looks through the packages.
  bool supports_bf16() const;
  /// The first.
  const Package& package() const;
  /// In the order of Device::open. Valid while the device is open.
  std::span<const Package> packages() const;

  /// Where the driver knows no priorities, all streams are of the same.
  Stream new_stream(Priority priority = Priority::normal) const;
  /// The calling thread's own stream, made at its first call. It goes with the thread, and the device stays open till then.
  Stream thread_stream() const;
  /// From now on the default queue, which calls mean that name no stream, is for each thread its thread_stream(), or again
  /// the one queue that all threads share.
  void use_thread_streams(bool own) const;
  /// Whether operations follow which streams use a tensor's memory, as they do unless it is turned off: work in one stream
  /// then waits, on the device, for what another stream wrote that it reads, or still uses that it writes, and memory is
  /// freed behind all work that uses it. The host waits for nothing. Events of the program's own are counted in: where
  /// Device::wait orders two streams already, nothing is added. Until a second stream is made nothing is followed. Turned
  /// off, a tensor's memory is freed in the order of the stream that it was made in, and all else is the program's.
  void follow_streams(bool follow) const;
  bool follows_streams() const;
  /// Records an event after everything now in `stream`.
  Event record(const Stream& stream = {}) const;
  /// Work put into `stream` from now on waits for `event`.
  void wait(const Stream& stream, const Event& event) const;
  /// Has `work` called when what is in the stream now is done, by a thread of the driver's, on the CPU by this one; what comes
  /// later waits for it. It must not use the device, hold the last of something of its, or throw, which ends the program.
  /// Part of a graph, it is called at each launch. Throws Error(unsupported) where the driver cannot, Error(device).
  void call(std::function<void()> work, const Stream& stream = {}) const;
  /// Waits for everything on the device. Throws what it reported since the last call: Error(index_out_of_range)
  /// for the first bad index of the earliest operation that met one in any stream, once; the device stays usable.
  /// Those who wait for a stream that other threads use hear of it all the same.
  void synchronize() const;

  /// Starts the device's random numbers anew: the same calls of rand_uniform and rand_normal after the same
  /// seed give the same numbers, on every device. 299792458 until it is set.
  void set_seed(std::uint64_t seed) const;
  std::uint64_t get_current_seed() const;

  /// Loads every module of the packages now, so that no later launch does, and takes the memory in which calls keep
  /// bad indices (needed before a stream is captured by others than capture()).
  void preload() const;

  /// Captures what `work` puts into the stream, none of which is done: the launches of a graph do it (graph.hpp). While it
  /// runs, the device's default queue is that stream for this thread, so that work needs to name none; for a
  /// default-constructed Stream it is one of the graph's own. Modules are loaded as needed; a library that is chosen by
  /// measuring is chosen by its own word. Threads take turns to capture on one device, and a wait for the whole device
  /// takes its turn as well.
  /// Throws what `work` does, and Error(invalid_argument), also in `work` and before anything is harmed, where the
  /// thread captures already, and for what cannot be part of a graph: waiting for the device, events, other streams of
  /// the device, copies from and to the host, random numbers (all launches would have the same); Error(unsupported)
  /// where the driver has no graphs; Error(device).
  Graph capture(const Stream& stream, const std::function<void()>& work) const;
  Graph capture(const std::function<void()>& work) const;
  /// How many modules were loaded: code that is the same is loaded once, whoever asks for it.
  ModuleUse module_use() const;
  /// The kernel with that id, which counts on from package to package, loaded at first use. No lock once it is loaded.
  Function kernel(std::uint32_t id) const;
  /// Id of the kernel of that name, of the first package that has one. Throws Error(not_found).
  std::uint32_t find_kernel(std::string_view name) const;
  /// Loads a raw code object (HSACO, cubin, PTX or a CPU target's shared object). Throws Error(device) with
  /// the driver's own words, or for a shared object that is cut off or whose headers and tables point outside of it.
  /// What its code does is not checked, and loading it may run some of it.
  Module load_module(std::span<const std::byte> code, std::string_view name = "module") const;

  /// Compiles a source for the device and loads it: by NVRTC or hipRTC, which are opened at the first call, or clang++
  /// (15 or later, with its lld) on the CPU. The bodies of kernels/ are at hand: a source that includes
  /// "device/dialect.hpp" defines a kernel for any device by KG_KERNEL(threads, name, arguments), which begins with
  /// begin_kernel() (docs/kernels.md). Throws
  /// Error(invalid_argument) with what the compiler finds fault with; Error(unsupported) where there is no compiler,
  /// listing all that was tried; Error(io); Error(device) where the driver does not load what it made.
  Module compile(std::string_view source, const CompileOptions& options = {}) const;

  /// Puts a launch into the stream. `arguments` is the kernel argument block, laid out as the registry says;
  /// it is copied before the call returns.
  void launch(Function function, const LaunchShape& shape, std::span<const std::byte> arguments,
              const Stream& stream = {}) const;

  /// Has `look` called before each launch of the device's from now on, by any thread and any copy of the Device, on the
  /// launching thread; an empty function ends that. What it throws leaves the launch undone. Views in what it is given
  /// are valid during the call. Libraries' own launches are not seen. The environment variables KERNELGEN_LOG,
  /// KERNELGEN_TRACE and KERNELGEN_RANGES let others look on (docs/runtime.md).
  void on_launch(std::function<void(const LaunchInfo&)> look) const;

  explicit operator bool() const { return state_ != nullptr; }
  bool operator==(const Device& other) const { return state_ == other.state_; }

 private:
  friend struct DeviceAccess;  // the library's own way to the state
  friend struct GraphAccess;
  friend class Module;
  explicit Device(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  std::shared_ptr<DeviceState> state_;
};

}  // namespace kernelgen
