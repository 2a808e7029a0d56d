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

class DeviceState;  // state shared by copies of a Device
class Graph;        // graph.hpp

/// An in-order queue of work on one device. Copies share the queue; it is destroyed with the last copy, after
/// its work is done. A default-constructed Stream is the device's default queue.
///
/// An operation that takes indices (ops/index.hpp) reports a bad index to the threads that wait for its
/// stream, by synchronize() or by reading a tensor: the wait throws Error(index_out_of_range) once, for the
/// first bad index of the earliest such operation. On the default queue, a thread gets the errors of its own
/// calls first, then those of threads that have ended. Work in a graph belongs to the streams in which the
/// graph is launched.
class Stream {
 public:
  Stream() = default;
  /// Waits until all work in the queue is done. Throws what the device reported, and
  /// Error(index_out_of_range) for a bad index met in the queue since the last wait. Throws
  /// Error(invalid_argument) for a default-constructed Stream; use Device::synchronize.
  void synchronize() const;
  /// The driver's handle (hipStream_t, CUstream); null for the default queue and on the CPU.
  void* native() const;

 private:
  friend class Capture;
  friend class Device;
  friend class DeviceState;
  struct Impl;
  explicit Stream(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// How work accesses memory.
enum class Access { read, write };

/// A position in a stream. Times are device time if the driver supports it, else host time.
class Event {
 public:
  /// Waits until the stream reaches the event. Throws as Stream::synchronize does, for work enqueued before
  /// the event. If the stream has later operations that take indices, the next wait for the stream reports
  /// the error again.
  void synchronize() const;
  /// Milliseconds from `start` to this event. Both must have been recorded and reached.
  double milliseconds_since(const Event& start) const;

 private:
  friend class Device;
  struct Impl;
  explicit Event(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// Memory statistics in bytes: what this process uses through a Device and its copies.
struct MemoryUse {
  std::size_t in_use;  ///< allocated and not freed
  std::size_t peak;    ///< maximum of `in_use` since the device was opened or reset_peak_memory()
  std::size_t cached;  ///< freed, and kept for later allocations
  std::size_t free;    ///< available for allocation, including `cached`
  std::size_t total;   ///< the device's total memory
  std::size_t limit;   ///< upper limit of `in_use`; the largest std::size_t if none is set
};

/// A launch, as reported to launch observers.
struct LaunchInfo {
  /// "kg_matmul_f16_tiled", or "graph of 40 nodes" with a default `shape` and `argument_bytes` 0.
  std::string_view kernel;
  LaunchShape shape;
  std::size_t argument_bytes;
  void* stream;      ///< the driver's handle; null for the default queue
  bool is_captured;  ///< recorded into a graph, not executed now
};

/// A kernel loaded on one device. Valid as long as the Device, or the Module it came from. The handle belongs
/// to this runtime, not to the driver.
struct Function {
  void* handle = nullptr;
};

class Device;

/// Code loaded on one device in addition to its packages, such as a user's own code object. Copies share it;
/// it is unloaded with the last copy.
class Module {
 public:
  Device device() const;
  /// Throws Error(not_found) with the kernel's name.
  Function function(std::string_view kernel) const;
  /// The kernel's arguments as declared by the code: the "NAME_args" table of CPU code
  /// (kernels/device/cpu.hpp), the metadata of an AMD code object, or the CUDA driver (12.4 or later). Empty
  /// if none of these is available. Throws Error(not_found) with the kernel's name.
  std::optional<std::vector<KernelArgument>> arguments(std::string_view kernel) const;
  /// Throws Error(invalid_argument) if the code declares arguments other than these; also throws as
  /// arguments().
  void check_arguments(std::string_view kernel, std::span<const KernelArgument> given) const;
  /// The compiler's messages, such as warnings, for a module of Device::compile; empty for other modules.
  const std::string& log() const;

 private:
  friend class Device;
  struct Impl;
  explicit Module(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// A package added to an open device. `call("cube@2", …)` calls its operation cube if its number is 2.
struct AddedPackage {
  Package package;
  std::uint32_t number;  ///< from 1
};

/// Module counts of a device: its packages' modules, the program's own, and those of expressions.
struct ModuleUse {
  std::size_t loaded;  ///< loaded now
  std::size_t loads;   ///< loads since the device was opened
};

/// An open device with the packages whose kernels it runs. Copies share it; all functions are thread-safe.
class Device {
 public:
  Device() = default;

  /// Opens `cpu`, `cpu:N` (N worker threads), `hip:N`, `cuda:N`, `simulated:gfx942` (an AMD GPU in software,
  /// docs/simulator.md), or `auto` (the first GPU that has kernels in the package, else the CPU). With
  /// KERNELGEN_CPU_DEVICES=K the CPU appears as K devices, each with a share of its cores, to test multi-device
  /// programs: `cpu`, `cpu.1` … `cpu.1:N`. Opening the same name with the same package again returns the same
  /// device ("cpu:01" is "cpu:1").
  /// Throws Error(not_found) for an unknown name, and Error(unsupported) if the driver library, the ordinal
  /// or a code object for the architecture is missing; the message lists everything tried.
  static Device open(std::string_view name, const Package& package = Package::embedded());
  /// The same with several packages, for instance your own before the embedded one. If several packages have
  /// an operation or a kernel of the same name, the first package takes precedence. Kernel ids count on from
  /// package to package. Each package must have code for the device. Throws Error(invalid_argument) without a
  /// package.
  static Device open(std::string_view name, std::span<const Package> packages);

  /// Number of devices of a kind that the driver reports; 0 without a driver.
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
  /// The target selected from the first package ("gfx90a", "gfx11-generic", …).
  std::string target() const;
  std::size_t total_memory() const;
  std::size_t free_memory() const;
  /// Throws Error(device).
  MemoryUse memory_use() const;
  /// Limits the bytes in use. An allocation beyond the limit throws Error(out_of_memory). So does one that
  /// the driver refuses even after all streams were waited for and the cache was released. The device remains
  /// usable.
  void set_memory_limit(std::size_t bytes) const;
  void reset_peak_memory() const;
  /// Installs an allocator; an empty one restores the default: the driver's memory pool on a GPU, the
  /// library's own cache on the CPU and where the driver has no pool. Memory is freed by the allocator that
  /// it came from. Statistics and the limit apply to it. Throws Error(invalid_argument) if only one of the two
  /// functions is set.
  void set_allocator(Allocator allocator) const;
  /// Returns cached memory to the system, except what unfinished work may still use. Throws Error(device).
  void trim_memory() const;
  int wave_size() const;
  int compute_units() const;
  /// Whether the packages have code for this device of any kernel that reads or writes bf16. Such code runs on
  /// every device it is selected for; devices without bf16 instructions compute in f32. Searches the packages.
  bool supports_bf16() const;
  /// The first package passed to open().
  const Package& package() const;
  /// All packages, in the order passed to open(). Valid while the device is open.
  std::span<const Package> packages() const;

  /// If the driver has no stream priorities, all streams have the same priority.
  Stream new_stream(Priority priority = Priority::normal) const;
  /// The calling thread's own stream, created at the first call and destroyed with the thread; it keeps the
  /// device open.
  Stream thread_stream() const;
  /// Selects the default queue, used by calls that name no stream: with `own` each thread uses its
  /// thread_stream(), otherwise all threads share one queue.
  void use_thread_streams(bool own) const;
  /// Enables or disables the tracking of streams that use a tensor's memory; enabled by default. With
  /// tracking, work waits, on the device, for other streams to write what it reads and to finish using what
  /// it writes. Memory is freed after all work that uses it. The host never waits. If Device::wait already
  /// orders two streams, no further wait is added. Nothing is tracked until a second stream is created.
  /// Without tracking, a tensor's memory is freed in the order of the stream that it was allocated in; the
  /// program must order all other uses.
  void follow_streams(bool follow) const;
  bool follows_streams() const;
  /// Records an event after all work now in `stream`.
  Event record(const Stream& stream = {}) const;
  /// Makes all work enqueued in `stream` from now on wait for `event`.
  void wait(const Stream& stream, const Event& event) const;
  /// Calls `work` on the host once all work now in the stream is done; later work in the stream waits for it.
  /// It runs on a driver thread, on the CPU on the calling thread. It must not use the device or release the
  /// last reference to one of its objects. An exception it throws terminates the program. In a graph it is
  /// called at each launch. Throws Error(unsupported) if the driver cannot do this, Error(device).
  void call(std::function<void()> work, const Stream& stream = {}) const;
  /// Waits for all work on the device. Throws what the device reported since the last call:
  /// Error(index_out_of_range), once, for the first bad index of the earliest operation in any stream; the
  /// device remains usable. If other threads made such calls in a stream, later waits for that stream still
  /// throw.
  void synchronize() const;

  /// Seeds the device's random numbers. After the same seed, the same calls of rand_uniform and rand_normal
  /// give the same numbers on every device. The initial seed is 299792458.
  void set_seed(std::uint64_t seed) const;
  std::uint64_t get_current_seed() const;

  /// Loads all modules of the packages now, so that no later launch loads one. Also allocates the memory in
  /// which operations record bad indices; required before a stream is captured by other means than capture().
  void preload() const;

  /// Records the work that `work` puts into the stream instead of executing it; launching the graph executes
  /// it (graph.hpp). While `work` runs, the stream is the device's default queue for this thread, so calls
  /// need not name it. A default-constructed Stream stands for one that the graph owns. Modules are loaded as
  /// needed. Vendor libraries' algorithms that are normally selected by measurement are selected by the
  /// library's heuristic. Only one thread at a time captures on a device; other captures, and waits for the
  /// whole device, block until it ends.
  /// Throws what `work` throws, and Error(invalid_argument) if the thread is already capturing, or for what a
  /// graph cannot contain: waits for the device, events, other streams of the device, copies from and to the
  /// host, and random numbers (every launch would repeat them). The call in `work` that does this throws, and
  /// the capture remains intact. Throws Error(unsupported) if the driver has no graphs, Error(device).
  Graph capture(const Stream& stream, const std::function<void()>& work) const;
  Graph capture(const std::function<void()>& work) const;
  /// Number of modules loaded. Identical code is loaded only once.
  ModuleUse module_use() const;
  /// The kernel with this id, loaded at first use. Ids count on from package to package. Takes no lock once
  /// it is loaded.
  Function kernel(std::uint32_t id) const;
  /// Id of the kernel with this name in the first package that has one. Throws Error(not_found).
  std::uint32_t find_kernel(std::string_view name) const;
  /// Loads a raw code object (HSACO, cubin, PTX or a CPU target's shared object). Throws Error(device) with
  /// the driver's message, or for a shared object that is truncated or whose headers and tables point outside
  /// of it. The code itself is not checked, and loading it may execute parts of it.
  Module load_module(std::span<const std::byte> code, std::string_view name = "module") const;

  /// Compiles a source for the device and loads it. Uses NVRTC or hipRTC, opened at the first call, and on
  /// the CPU clang++ (15 or later, with its lld). The headers of kernels/ are available: a source that
  /// includes "device/dialect.hpp" defines a kernel for any device by KG_KERNEL(threads, name, arguments),
  /// whose body starts with begin_kernel() (docs/kernels.md).
  /// Throws Error(invalid_argument) with the compiler's messages; Error(unsupported) if no compiler is found,
  /// listing all that was tried; Error(io); Error(device) if the driver cannot load the result.
  Module compile(std::string_view source, const CompileOptions& options = {}) const;

  /// Adds a package, whose operations can then be called by name with tensors of this device; its kernel ids follow those of
  /// the packages before it. Of several added packages that have an operation, its name means that of the last one, and
  /// "NAME@NUMBER" that of one. A package of the same bytes is added once. It stays loaded while the device is open, and is
  /// not among packages().
  /// Throws Error(unsupported) if the package has no code for the device; Error(invalid_argument) if a package that the device
  /// was opened with has an operation of one of its names.
  AddedPackage add(const Package& package) const;
  /// Compiles the operations of a manifest (JSON, docs/adding-an-operation.md) for the device and adds them. Starts
  /// `kernel-gen build`: the program that KERNELGEN_TOOL names, else the one installed with this library, else the one in PATH,
  /// with the compilers that it finds. The result is cached on disk.
  /// Throws Error(invalid_argument) with what is wrong at the manifest's or a header's lines; Error(unsupported) if there is no
  /// kernel-gen, listing all that was tried; Error(io); also as add().
  AddedPackage compile_manifest(std::string_view manifest, const ManifestOptions& options = {}) const;

  /// Enqueues a launch in the stream. `arguments` is the kernel argument block, in the layout given by the
  /// registry, with up to seven bytes of padding after the last argument; it is copied before the call
  /// returns. Throws Error(invalid_argument), and launches nothing, for a grid or block without threads, for
  /// a block with more threads than a package's kernel is compiled for, and for arguments whose size differs
  /// from the kernel's (if Module::arguments knows it).
  void launch(Function function, const LaunchShape& shape, std::span<const std::byte> arguments,
              const Stream& stream = {}) const;

  /// Calls `look` before each launch on the device, made by any thread through any copy of the Device; an
  /// empty function removes it. It runs on the launching thread. If it throws, the launch does not happen.
  /// Views in the LaunchInfo are valid only during the call. Launches made by vendor libraries are not
  /// reported. The environment variables KERNELGEN_LOG, KERNELGEN_TRACE and KERNELGEN_RANGES enable further
  /// observers (docs/runtime.md).
  void on_launch(std::function<void(const LaunchInfo&)> look) const;

  explicit operator bool() const { return state_ != nullptr; }
  bool operator==(const Device& other) const { return state_ == other.state_; }

 private:
  friend struct DeviceAccess;  // gives the library access to the state
  friend struct GraphAccess;
  friend class Module;
  explicit Device(std::shared_ptr<DeviceState> state) : state_(std::move(state)) {}
  std::shared_ptr<DeviceState> state_;
};

}  // namespace kernelgen
