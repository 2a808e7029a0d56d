// A driver library for tests. Built three times: as HIP 5 (libamdhip64-stub), as HIP 6 or 7 (STUB_HIP6: with the
// newer device properties) and as CUDA (STUB_CUDA). It takes calls, keeps memory on the host and runs
// nothing. Other differences between versions of HIP are in the state.
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "stub_gpu/stub_calls.hpp"

namespace kernelgen::test::stub_driver {

StubGpu stub;
std::mutex of_stub;

int enter(const char* function) {
  const std::lock_guard lock(of_stub);
  stub.calls.emplace_back(function);
  if (stub.fault_at > 0 && --stub.fault_at == 0) {
    stub.faulty = function;
    return stub.fault;
  }
  const auto failure = stub.failures.find(function);
  return failure == stub.failures.end() ? 0 : failure->second;
}

void* new_handle(std::size_t bytes) {
  void* handle = std::malloc(bytes);
  const std::lock_guard lock(of_stub);
  stub.handles.insert(handle);
  return handle;
}

int drop_handle(const char* function, void* handle) {
  {
    const std::lock_guard lock(of_stub);
    stub.handles.erase(handle);
  }
  std::free(handle);
  return enter(function);
}

namespace {

constexpr int status_not_ready = 600;
#ifdef STUB_CUDA
constexpr int attribute_wave_size = 10, attribute_compute_units = 16, attribute_pools = 115;
#else
constexpr int status_no_device = 100;
constexpr int attribute_wave_size = 87, attribute_compute_units = 63, attribute_pools = 88;
#endif

int copy(const char* function, void* to, const void* from, std::size_t bytes, void* stream) {
  if (const int status = enter(function)) return status;
  return do_in(stream, function, [=](void*) { std::memcpy(to, from, bytes); });
}

int make_handle(const char* function, void** handle, std::size_t bytes = 1) {
  if (const int status = enter(function)) return status;
  *handle = new_handle(bytes);
  return 0;
}

}  // namespace

extern "C" StubGpu* stub_gpu() { return &stub; }

STUB(hipInit, cuInit)(unsigned) { return enter(__func__); }

STUB(hipGetDeviceCount, cuDeviceGetCount)(int* count) {
  *count = stub.devices;
  if (const int status = enter(__func__)) return status;
#ifndef STUB_CUDA
  if (stub.devices == 0) return status_no_device;
#endif
  return 0;
}

STUB(hipDeviceGetName, cuDeviceGetName)(char* name, int size, int) {
  std::strncpy(name, "Stub GPU", static_cast<std::size_t>(size));
  return enter(__func__);
}

STUB(hipDeviceTotalMem, cuDeviceTotalMem_v2)(std::size_t* bytes, int) {
  *bytes = std::size_t{64} << 30;
  return enter(__func__);
}

#ifndef STUB_CUDA
static const std::string& architecture_of(int device) {
  const auto ordinal = static_cast<std::size_t>(device);
  return ordinal < stub.architectures.size() ? stub.architectures[ordinal] : stub.architecture;
}
#endif

STUB(hipDeviceGetAttribute, cuDeviceGetAttribute)(int* value, int attribute, [[maybe_unused]] int device) {
#ifdef STUB_CUDA
  if (attribute == attribute_wave_size) *value = 32;
#else
  if (attribute == attribute_wave_size) *value = architecture_of(device).rfind("gfx9", 0) == 0 ? 64 : 32;
#endif
  if (attribute == attribute_compute_units) *value = stub.compute_units;
  if (attribute == attribute_pools) *value = stub.pools ? 1 : 0;
  if (attribute == 75) *value = stub.capability / 10;  // CUDA: compute capability
  if (attribute == 76) *value = stub.capability % 10;
  return enter(__func__);
}

STUB(hipMemGetInfo, cuMemGetInfo_v2)(std::size_t* free, std::size_t* total) {
  *free = std::size_t{60} << 30;
  *total = std::size_t{64} << 30;
  return enter(__func__);
}

STUB(hipMalloc, cuMemAlloc_v2)(void** memory, std::size_t bytes) {
  return make_handle(__func__, memory, bytes);
}

STUB(hipFree, cuMemFree_v2)(void* memory) { return drop_handle(__func__, memory); }

STUB(hipHostMalloc, cuMemHostAlloc)(void** memory, std::size_t bytes, unsigned) {
  return make_handle(__func__, memory, bytes);
}
STUB(hipHostFree, cuMemFreeHost)(void* memory) { return drop_handle(__func__, memory); }

STUB(hipDeviceCanAccessPeer, cuDeviceCanAccessPeer)(int* can, int, int) {
  *can = stub.peers_are_reachable ? 1 : 0;
  return enter(__func__);
}
#ifdef STUB_CUDA
extern "C" int cuCtxEnablePeerAccess(void*, unsigned) { return enter(__func__); }
#else
extern "C" int hipDeviceEnablePeerAccess(int, unsigned) { return enter(__func__); }
#endif
STUB(hipMemPoolSetAccess, cuMemPoolSetAccess)(void*, const void* accesses, std::size_t count) {
  std::memcpy(stub.pool_access.data(), accesses, sizeof stub.pool_access);
  return count == 1 ? enter(__func__) : 1;
}

STUB(hipMallocAsync, cuMemAllocAsync)(void** memory, std::size_t bytes, void* stream) {
  if (captured(stream) != nullptr) stub.violations.emplace_back(__func__);
  return make_handle(__func__, memory, bytes);
}

STUB(hipFreeAsync, cuMemFreeAsync)(void* memory, void* stream) {
  {
    const std::lock_guard lock(of_stub);
    stub.frees.push_back(stream);
  }
  if (captured(stream) != nullptr) stub.violations.emplace_back(__func__);
  return drop_handle(__func__, memory);
}

STUB(hipDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool)(void** pool, int) {
  *pool = &stub;
  return enter(__func__);
}

STUB(hipMemPoolTrimTo, cuMemPoolTrimTo)(void*, std::size_t kept) {
  stub.trimmed_to = kept;
  if (stub.fails_until_trimmed) stub.failures.clear();
  return enter(__func__);
}

STUB(hipMemPoolSetAttribute, cuMemPoolSetAttribute)(void*, int, void* value) {
  std::memcpy(&stub.pool_threshold, value, sizeof stub.pool_threshold);
  return enter(__func__);
}

STUB(hipMemPoolGetAttribute, cuMemPoolGetAttribute)(void*, int attribute, void* value) {
  // 5: bytes reserved, 7: bytes used
  const std::uint64_t bytes = attribute == 5   ? std::uint64_t{3} << 30
                              : attribute == 7 ? std::uint64_t{1} << 30
                                               : 0;
  std::memcpy(value, &bytes, sizeof bytes);
  return enter(__func__);
}

STUB(hipMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2)(void* to, const void* from, std::size_t bytes, void* stream) {
  return copy(__func__, to, from, bytes, stream);
}

STUB(hipMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2)(void* to, const void* from, std::size_t bytes, void* stream) {
  return copy(__func__, to, from, bytes, stream);
}

STUB(hipMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2)(void* to, const void* from, std::size_t bytes, void* stream) {
  return copy(__func__, to, from, bytes, stream);
}

STUB(hipMemsetD8Async, cuMemsetD8Async)(void* to, unsigned char value, std::size_t bytes, void* stream) {
  if (const int status = enter(__func__)) return status;
  return do_in(stream, __func__, [=](void*) { std::memset(to, value, bytes); });
}

STUB(hipStreamCreateWithFlags, cuStreamCreate)(void** stream, unsigned) {
  return make_handle(__func__, stream);
}
STUB(hipDeviceGetStreamPriorityRange, cuCtxGetStreamPriorityRange)(int* least, int* most) {
  *least = 1;
  *most = -1;
  return enter(__func__);
}
STUB(hipStreamCreateWithPriority, cuStreamCreateWithPriority)(void** stream, unsigned, int priority) {
  const int status = make_handle(__func__, stream);
  if (status == 0) stub.priorities[*stream] = priority;
  return status;
}
STUB(hipLaunchHostFunc, cuLaunchHostFunc)(void* stream, void (*function)(void*), void* data) {
  if (const int status = enter(__func__)) return status;
  return do_in(stream, __func__, [=](void*) { function(data); });
}
STUB(hipStreamDestroy, cuStreamDestroy_v2)(void* stream) { return drop_handle(__func__, stream); }
STUB(hipStreamSynchronize, cuStreamSynchronize)(void* stream) {
  if (StubGpu::Graph* graph = captured(stream)) return spoil(__func__, *graph);
  return enter(__func__);
}
STUB(hipStreamIsCapturing, cuStreamIsCapturing)(void* stream, int* status) {
  *status = stub.is_capturing || captured(stream) != nullptr ? 1 : 0;
  return enter(__func__);
}
STUB(hipStreamWaitEvent, cuStreamWaitEvent)(void* stream, void* event, unsigned) {
  if (StubGpu::Graph* graph = captured(stream)) return spoil(__func__, *graph);
  if (const int status = enter(__func__)) return status;
  const std::lock_guard lock(of_stub);
  stub.waits.emplace_back(stream, stub.recorded[event]);
  return 0;
}
STUB(hipDeviceSynchronize, cuCtxSynchronize)() {
  for (auto& [stream, graph] : stub.captures) return spoil(__func__, graph);
  return enter(__func__);
}
STUB(hipEventCreateWithFlags, cuEventCreate)(void** event, unsigned) { return make_handle(__func__, event); }
STUB(hipEventRecord, cuEventRecord)(void* event, void* stream) {
  if (captured(stream) != nullptr) stub.violations.emplace_back(__func__);
  if (const int status = enter(__func__)) return status;
  const std::lock_guard lock(of_stub);
  stub.recorded[event] = stream;
  return 0;
}
STUB(hipEventQuery, cuEventQuery)(void*) {
  if (const int status = enter(__func__)) return status;
  return stub.events_are_reached ? 0 : status_not_ready;
}
STUB(hipEventDestroy, cuEventDestroy_v2)(void* event) { return drop_handle(__func__, event); }
STUB(hipEventSynchronize, cuEventSynchronize)(void*) { return enter(__func__); }

STUB(hipEventElapsedTime, cuEventElapsedTime)(float* milliseconds, void*, void*) {
  *milliseconds = 1.5f;
  if (!stub.milliseconds.empty()) {
    *milliseconds = stub.milliseconds.front();
    stub.milliseconds.erase(stub.milliseconds.begin());
  }
  return enter(__func__);
}

#ifdef STUB_CUDA

extern "C" int cuDriverGetVersion(int* version) {
  *version = stub.driver_version;
  return 0;
}

extern "C" int cuGetErrorName(int status, const char** name) {
  *name = status == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : status == 209 ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
          : status == 901 ? "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED"
                          : "CUDA_ERROR_STUB";
  return 0;
}

extern "C" int cuGetErrorString(int, const char** text) {
  *text = "a text";
  return 0;
}

extern "C" int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = reinterpret_cast<void*>(static_cast<std::uintptr_t>(0x100 + device));
  if (const int status = enter(__func__)) return status;
  ++stub.contexts;
  return 0;
}

extern "C" int cuDevicePrimaryCtxRelease_v2(int) {
  --stub.contexts;
  return enter(__func__);
}

extern "C" int cuCtxGetCurrent(void** context) {
  *context = reinterpret_cast<void*>(stub.current);
  return 0;
}

extern "C" int cuCtxSetCurrent(void* context) {
  stub.current = reinterpret_cast<std::uintptr_t>(context);
  return enter(__func__);
}

#else

int hip_version() {
#ifdef STUB_HIP6
  constexpr int of_build = 604;
#else
  constexpr int of_build = 502;
#endif
  return stub.hip_version != 0 ? stub.hip_version : of_build;
}

/// The name, and the text that HIP has for it since 5.3.
static std::pair<const char*, const char*> words_of(int status) {
  switch (status) {
    case 1:
      return {"hipErrorInvalidValue", "invalid argument"};
    case 2:
      return {"hipErrorOutOfMemory", "out of memory"};
    case 9:
      return {"hipErrorInvalidConfiguration", "invalid configuration argument"};
    case 209:
      return {"hipErrorNoBinaryForGpu", "no kernel image is available for execution on the device"};
    case 303:
      return {"hipErrorSharedObjectInitFailed", "shared object initialization failed"};
    default:
      return {"hipErrorStub", "hipErrorStub"};
  }
}

extern "C" const char* hipGetErrorName(int status) { return words_of(status).first; }

extern "C" const char* hipGetErrorString(int status) {
  return hip_version() < 503 ? words_of(status).first : words_of(status).second;
}

extern "C" int hipRuntimeGetVersion(int* version) {
  *version = hip_version() / 100 * 10'000'000 + hip_version() % 100 * 100'000 + 43484;
  return 0;
}

extern "C" int hipGetDevice(int* device) {
  *device = static_cast<int>(stub.current);
  return 0;
}

extern "C" int hipSetDevice(int device) {
  stub.current = static_cast<std::uintptr_t>(device);
  return enter(__func__);
}

/// hipDeviceProp_t of HIP 5.
extern "C" int hipGetDeviceProperties(void* properties, int device) {
  constexpr std::size_t bytes = 792, arch_offset = 396;
  std::memset(properties, 0, bytes);
  std::strcpy(static_cast<char*>(properties) + arch_offset, architecture_of(device).c_str());
  return enter(__func__);
}

#ifdef STUB_HIP6
extern "C" int hipGetDevicePropertiesR0600(void* properties, int device) {
  constexpr std::size_t bytes = 1472, arch_offset = 1160;
  std::memset(properties, 0, bytes);
  std::strcpy(static_cast<char*>(properties) + arch_offset, architecture_of(device).c_str());
  return enter(__func__);
}
#endif

#endif

}  // namespace kernelgen::test::stub_driver
