#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "driver/dynamic_library.hpp"
#include "kernelgen/device_kind.hpp"
#include "kernelgen/kernel_argument.hpp"
#include "kernelgen/launch_shape.hpp"

namespace kernelgen {

// The driver APIs of HIP and CUDA, in one table: HIP's was made after CUDA's, and for these functions both
// take the same arguments in the same order and return 0 for success. Handles are pointers in both;
// CUdeviceptr is an integer of a pointer's size, passed in the same registers.
//   KERNELGEN_..._CALLS(X): X(member, HIP name, CUDA name, arguments)
#define KERNELGEN_GPU_REQUIRED_CALLS(X)                                                                     \
  X(initialize, hipInit, cuInit, (unsigned flags))                                                          \
  X(device_count, hipGetDeviceCount, cuDeviceGetCount, (int* count))                                        \
  X(device_name, hipDeviceGetName, cuDeviceGetName, (char* name, int size, int device))                     \
  X(device_memory, hipDeviceTotalMem, cuDeviceTotalMem_v2, (std::size_t* bytes, int device))                \
  X(device_attribute, hipDeviceGetAttribute, cuDeviceGetAttribute, (int* value, int attribute, int device)) \
  X(memory_info, hipMemGetInfo, cuMemGetInfo_v2, (std::size_t* free, std::size_t* total))                   \
  X(allocate, hipMalloc, cuMemAlloc_v2, (void** memory, std::size_t bytes))                                 \
  X(free, hipFree, cuMemFree_v2, (void* memory))                                                            \
  X(copy_to_device, hipMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                               \
    (void* to, const void* from, std::size_t bytes, void* stream))                                          \
  X(copy_to_host, hipMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                                 \
    (void* to, const void* from, std::size_t bytes, void* stream))                                          \
  X(copy_on_device, hipMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                               \
    (void* to, const void* from, std::size_t bytes, void* stream))                                          \
  X(fill, hipMemsetD8Async, cuMemsetD8Async,                                                                \
    (void* to, unsigned char value, std::size_t bytes, void* stream))                                       \
  X(create_stream, hipStreamCreateWithFlags, cuStreamCreate, (void** stream, unsigned flags))               \
  X(destroy_stream, hipStreamDestroy, cuStreamDestroy_v2, (void* stream))                                   \
  X(synchronize_stream, hipStreamSynchronize, cuStreamSynchronize, (void* stream))                          \
  X(stream_wait_event, hipStreamWaitEvent, cuStreamWaitEvent, (void* stream, void* event, unsigned flags))  \
  X(synchronize_device, hipDeviceSynchronize, cuCtxSynchronize, ())                                         \
  X(create_event, hipEventCreateWithFlags, cuEventCreate, (void** event, unsigned flags))                   \
  X(record_event, hipEventRecord, cuEventRecord, (void* event, void* stream))                               \
  X(destroy_event, hipEventDestroy, cuEventDestroy_v2, (void* event))                                       \
  X(synchronize_event, hipEventSynchronize, cuEventSynchronize, (void* event))                              \
  X(query_event, hipEventQuery, cuEventQuery, (void* event))                                                \
  X(elapsed, hipEventElapsedTime, cuEventElapsedTime, (float* milliseconds, void* start, void* end))        \
  X(allocate_pinned, hipHostMalloc, cuMemHostAlloc, (void** memory, std::size_t bytes, unsigned flags))     \
  X(free_pinned, hipHostFree, cuMemFreeHost, (void* memory))                                                \
  X(can_reach_peer, hipDeviceCanAccessPeer, cuDeviceCanAccessPeer, (int* can, int device, int peer))        \
  X(unload_module, hipModuleUnload, cuModuleUnload, (void* module))                                         \
  X(find_function, hipModuleGetFunction, cuModuleGetFunction,                                               \
    (void** function, void* module, const char* name))                                                      \
  X(launch, hipModuleLaunchKernel, cuLaunchKernel,                                                          \
    (void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
     unsigned block_z, unsigned shared_bytes, void* stream, void** parameters, void** extra))

#define KERNELGEN_GPU_GRAPH_CALLS(X)                                                                 \
  X(begin_capture, hipStreamBeginCapture, cuStreamBeginCapture_v2, (void* stream, int mode))         \
  X(end_capture, hipStreamEndCapture, cuStreamEndCapture, (void* stream, void** graph))              \
  X(graph_nodes, hipGraphGetNodes, cuGraphGetNodes, (void* graph, void** nodes, std::size_t* count)) \
  X(instantiate_graph, hipGraphInstantiateWithFlags, cuGraphInstantiateWithFlags,                    \
    (void** executable, void* graph, unsigned long long flags))                                      \
  X(update_graph, hipGraphExecUpdate, cuGraphExecUpdate,                                             \
    (void* executable, void* graph, void** node, int* result))                                       \
  X(launch_graph, hipGraphLaunch, cuGraphLaunch, (void* executable, void* stream))                   \
  X(destroy_graph, hipGraphDestroy, cuGraphDestroy, (void* graph))                                   \
  X(destroy_executable, hipGraphExecDestroy, cuGraphExecDestroy, (void* executable))

// Priorities: HIP 2, CUDA 5.5. Calls of the host: HIP 5.2, CUDA 10. The stream-ordered pool: HIP 5.1, CUDA 11.2. Whether a stream is being captured: HIP 4.4, CUDA 10. Graphs: HIP 5.1,
// CUDA 11.4; CUDA's newer form of the update has its arguments in a struct.
#define KERNELGEN_GPU_OPTIONAL_CALLS(X)                                                                      \
  X(is_capturing, hipStreamIsCapturing, cuStreamIsCapturing, (void* stream, int* status))                    \
  X(allocate_async, hipMallocAsync, cuMemAllocAsync, (void** memory, std::size_t bytes, void* stream))       \
  X(free_async, hipFreeAsync, cuMemFreeAsync, (void* memory, void* stream))                                  \
  X(default_pool, hipDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, (void** pool, int device))          \
  X(pool_attribute, hipMemPoolGetAttribute, cuMemPoolGetAttribute, (void* pool, int attribute, void* value)) \
  X(set_pool_attribute, hipMemPoolSetAttribute, cuMemPoolSetAttribute,                                       \
    (void* pool, int attribute, void* value))                                                                \
  X(set_pool_access, hipMemPoolSetAccess, cuMemPoolSetAccess,                                                \
    (void* pool, const void* accesses, std::size_t count))                                                   \
  X(trim_pool, hipMemPoolTrimTo, cuMemPoolTrimTo, (void* pool, std::size_t kept_bytes))                      \
  X(exchange_capture_mode, hipThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode,            \
    (int* mode))                                                                                             \
  X(priority_range, hipDeviceGetStreamPriorityRange, cuCtxGetStreamPriorityRange, (int* least, int* most))   \
  X(create_stream_with_priority, hipStreamCreateWithPriority, cuStreamCreateWithPriority,                    \
    (void** stream, unsigned flags, int priority))                                                           \
  X(call_host, hipLaunchHostFunc, cuLaunchHostFunc, (void* stream, void (*function)(void*), void* data))     \
  KERNELGEN_GPU_GRAPH_CALLS(X)

/// A function of the driver with the name it has there.
template <class... Arguments>
struct GpuCall {
  int (*function)(Arguments...) = nullptr;
  const char* name = nullptr;
  explicit operator bool() const { return function != nullptr; }
};

namespace detail {
template <class Signature>
struct GpuCallOf;
template <class... Arguments>
struct GpuCallOf<int(Arguments...)> {
  using type = GpuCall<Arguments...>;
};
}  // namespace detail

struct GpuCalls {
#define KERNELGEN_MEMBER(member, hip, cuda, arguments) detail::GpuCallOf<int arguments>::type member;
  KERNELGEN_GPU_REQUIRED_CALLS(KERNELGEN_MEMBER)
  KERNELGEN_GPU_OPTIONAL_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER
};

/// Constants that differ between the two.
struct GpuConstants {
  int wave_size;  ///< device attributes
  int compute_units;
  int pools_supported;
  std::uintptr_t launch_end;  ///< ends the list that hands a launch its argument buffer
  /// The current device or context of a thread that never set one.
  std::uintptr_t nothing_current;
  bool reads_code_later;  ///< loading a module copies nothing
  /// Whether an executable graph may be destroyed while in flight.
  bool graphs_end_their_work;
  const char* driver_hint;  ///< what to check if the library finds no device
};

/// An opened driver library: the common calls, and the operations whose APIs differ. One per kind and
/// process, created at first use and never destroyed. Thread-safe.
class GpuApi {
 public:
  virtual ~GpuApi() = default;
  GpuApi(const GpuApi&) = delete;
  GpuApi& operator=(const GpuApi&) = delete;

  GpuCalls calls;
  GpuConstants constants;

  DeviceKind kind() const { return kind_; }
  const DynamicLibrary& library() const { return library_; }

  /// Version of the library, 100 · major + minor: 604 for HIP 6.4, 1300 for CUDA 13.0; 0 if unknown.
  virtual int version() const = 0;
  /// The driver's name and text for a status: "hipErrorInvalidValue (invalid argument)".
  virtual std::string describe(int status) const = 0;
  /// A possible reason why the driver rejected a module on a device of that architecture; empty if unknown.
  virtual std::string load_advice(int status, std::span<const std::byte> code,
                                  const std::string& architecture) const = 0;
  /// "gfx90a:sramecc+:xnack-", "sm_90". Throws Error(device).
  virtual std::string architecture(int device) const = 0;
  /// What must be current on a thread that uses the device: a context, or for HIP the ordinal.
  virtual std::uintptr_t open_device(int device) const = 0;
  virtual void close_device(int device) const noexcept = 0;
  /// These two return the driver's status.
  virtual int current(std::uintptr_t* context) const = 0;
  virtual int make_current(std::uintptr_t context) const = 0;
  /// Loads a code object; `log` receives the driver's output.
  virtual int load_module(void** module, std::span<const std::byte> code, std::string* log) const = 0;
  /// Allows more dynamic shared memory than the default limit of 48 KiB for a function's launches.
  virtual int allow_shared_memory(void* function, unsigned bytes) const = 0;

  /// The arguments of a kernel; nothing if the driver does not report them.
  virtual std::optional<std::vector<KernelArgument>> arguments(void*) const { return std::nullopt; }

  /// Enables access from the current device to the memory of the device of that context. Returns the driver's
  /// status.
  virtual int reach_peer(std::uintptr_t peer) const = 0;

  /// Whether the module's kernels wait for preceding work themselves.
  virtual bool awaits_earlier_work(void*) const { return false; }
  /// Launches such a kernel, which may start while the preceding kernel still runs.
  virtual int launch_early(void* function, const LaunchShape& shape, void* stream, void** extra) const {
    return launch(function, shape, stream, extra);
  }
  int launch(void* function, const LaunchShape& shape, void* stream, void** extra) const {
    return calls.launch.function(function, shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0],
                                 shape.block[1], shape.block[2], shape.shared_bytes, stream, nullptr, extra);
  }

  /// Throws Error(device) (Error(out_of_memory) for that status) with the call and the driver's message.
  [[noreturn]] void fail(const char* call, int status, const std::string& detail = {}) const;

  template <class... Parameters, class... Arguments>
  void invoke(const GpuCall<Parameters...>& call, Arguments... arguments) const {
    if (const int status = call.function(arguments...); status != 0) fail(call.name, status);
  }

 protected:
  GpuApi(DeviceKind kind, DynamicLibrary library, const GpuConstants& values);

  /// Fills `calls`. Throws Error(unsupported) naming the first missing required one.
  void load_calls();
  /// The symbol, or Error(unsupported) naming the library and the function.
  void* required(const char* name) const;
  /// Runs the driver's initialisation. Throws Error(unsupported): a driver library without a driver is
  /// common.
  void initialize() const;

 private:
  const DeviceKind kind_;
  const DynamicLibrary library_;
};

/// True once the process runs its exit handlers: the driver library may have shut down, and must not be
/// called to free what the system reclaims anyway.
bool driver_is_exiting();

/// Throw Error(unsupported) if the library cannot be opened or has no usable driver.
const GpuApi& hip_api();
const GpuApi& cuda_api();
/// AMD GPUs in software: HIP's functions of libamdhip64-simulated.so.
const GpuApi& simulated_api();
/// That library's function that returns a processor's device.
inline constexpr const char* simulated_device_function = "kernelgen_simulated_device";
/// The ordinal that a processor, "gfx942", has there. Throws Error(unsupported): it is not simulated.
int simulated_ordinal(const GpuApi& simulated, const std::string& processor);

}  // namespace kernelgen
