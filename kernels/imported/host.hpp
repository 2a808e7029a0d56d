#pragma once
/// As much of the host's API as declarations of imported files need: their types, and what <<<>>> stands for. The bodies of
/// host functions are skipped once their launches are read, and a launch after a call that is unknown is not found, so common
/// functions are declared too.
#include "imported/libc.hpp"
#include "imported/threads.hpp"

#define KG_HOST_API(prefix)                                                                                 \
  typedef struct prefix##KgStream* prefix##Stream_t;                                                        \
  typedef struct prefix##KgEvent* prefix##Event_t;                                                          \
  typedef struct prefix##KgGraph* prefix##Graph_t;                                                          \
  typedef struct prefix##KgGraphExec* prefix##GraphExec_t;                                                  \
  typedef struct prefix##KgGraphNode* prefix##GraphNode_t;                                                  \
  enum prefix##Error_t{prefix##Success, prefix##ErrorInvalidValue};                                         \
  enum prefix##MemcpyKind{prefix##MemcpyHostToHost, prefix##MemcpyHostToDevice, prefix##MemcpyDeviceToHost, \
                          prefix##MemcpyDeviceToDevice, prefix##MemcpyDefault};                             \
  struct prefix##KgDeviceProperties {                                                                       \
    char name[256];                                                                                         \
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;           \
    int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock, maxThreadsPerMultiProcessor;       \
    int clockRate, memoryClockRate, memoryBusWidth, l2CacheSize, regsPerBlock, integrated;                  \
    int maxThreadsDim[3], maxGridSize[3];                                                                   \
    char gcnArchName[256];                                                                                  \
  };                                                                                                        \
  extern prefix##Error_t prefix##GetLastError();                                                            \
  extern const char* prefix##GetErrorString(prefix##Error_t error);                                         \
  extern prefix##Error_t prefix##DeviceSynchronize();                                                       \
  extern prefix##Error_t prefix##Free(void* memory);                                                        \
  template <class T>                                                                                        \
  prefix##Error_t prefix##Malloc(T** memory, size_t bytes);                                                 \
  extern prefix##Error_t prefix##Memcpy(void* to, const void* from, size_t bytes, prefix##MemcpyKind kind);
KG_HOST_API(hip)
KG_HOST_API(cuda)
#undef KG_HOST_API
typedef hipKgDeviceProperties hipDeviceProp_t;
typedef cudaKgDeviceProperties cudaDeviceProp;

#ifdef KERNELGEN_IMPORT
/// Any call is well-formed.
#define KG_HOST_CALL(prefix, name) \
  template <class... Any>          \
  prefix##Error_t prefix##name(Any&&... arguments);
#define KG_HOST_CALLS(prefix)                                     \
  KG_HOST_CALL(prefix, DeviceGetAttribute)                        \
  KG_HOST_CALL(prefix, DeviceReset)                               \
  KG_HOST_CALL(prefix, DriverGetVersion)                          \
  KG_HOST_CALL(prefix, EventCreate)                               \
  KG_HOST_CALL(prefix, EventCreateWithFlags)                      \
  KG_HOST_CALL(prefix, EventDestroy)                              \
  KG_HOST_CALL(prefix, EventElapsedTime)                          \
  KG_HOST_CALL(prefix, EventQuery)                                \
  KG_HOST_CALL(prefix, EventRecord)                               \
  KG_HOST_CALL(prefix, EventSynchronize)                          \
  KG_HOST_CALL(prefix, FreeAsync)                                 \
  KG_HOST_CALL(prefix, FreeHost)                                  \
  KG_HOST_CALL(prefix, FuncGetAttributes)                         \
  KG_HOST_CALL(prefix, FuncSetAttribute)                          \
  KG_HOST_CALL(prefix, FuncSetCacheConfig)                        \
  KG_HOST_CALL(prefix, GetDevice)                                 \
  KG_HOST_CALL(prefix, GetDeviceCount)                            \
  KG_HOST_CALL(prefix, GetDeviceProperties)                       \
  KG_HOST_CALL(prefix, GetErrorName)                              \
  KG_HOST_CALL(prefix, GetSymbolAddress)                          \
  KG_HOST_CALL(prefix, HostFree)                                  \
  KG_HOST_CALL(prefix, HostMalloc)                                \
  KG_HOST_CALL(prefix, HostRegister)                              \
  KG_HOST_CALL(prefix, HostUnregister)                            \
  KG_HOST_CALL(prefix, LaunchCooperativeKernel)                   \
  KG_HOST_CALL(prefix, LaunchKernel)                              \
  KG_HOST_CALL(prefix, MallocAsync)                               \
  KG_HOST_CALL(prefix, MallocHost)                                \
  KG_HOST_CALL(prefix, MallocManaged)                             \
  KG_HOST_CALL(prefix, MemGetInfo)                                \
  KG_HOST_CALL(prefix, Memcpy2D)                                  \
  KG_HOST_CALL(prefix, Memcpy2DAsync)                             \
  KG_HOST_CALL(prefix, MemcpyAsync)                               \
  KG_HOST_CALL(prefix, MemcpyFromSymbol)                          \
  KG_HOST_CALL(prefix, MemcpyPeerAsync)                           \
  KG_HOST_CALL(prefix, MemcpyToSymbol)                            \
  KG_HOST_CALL(prefix, Memset)                                    \
  KG_HOST_CALL(prefix, MemsetAsync)                               \
  KG_HOST_CALL(prefix, OccupancyMaxActiveBlocksPerMultiprocessor) \
  KG_HOST_CALL(prefix, OccupancyMaxPotentialBlockSize)            \
  KG_HOST_CALL(prefix, PeekAtLastError)                           \
  KG_HOST_CALL(prefix, RuntimeGetVersion)                         \
  KG_HOST_CALL(prefix, SetDevice)                                 \
  KG_HOST_CALL(prefix, StreamCreate)                              \
  KG_HOST_CALL(prefix, StreamCreateWithFlags)                     \
  KG_HOST_CALL(prefix, StreamDestroy)                             \
  KG_HOST_CALL(prefix, StreamSynchronize)                         \
  KG_HOST_CALL(prefix, StreamWaitEvent)                           \
  enum prefix##KgAttribute{prefix##FuncAttributeMaxDynamicSharedMemorySize};
KG_HOST_CALLS(hip)
KG_HOST_CALLS(cuda)
#undef KG_HOST_CALLS
#undef KG_HOST_CALL
// Macros, as the vendors have them: a launch takes hipStreamDefault for a stream.
#define hipEventDefault 0
#define hipEventDisableTiming 2
#define hipStreamDefault 0
#define hipStreamNonBlocking 1
#define cudaEventDefault 0
#define cudaEventDisableTiming 2
#define cudaStreamDefault 0
#define cudaStreamNonBlocking 1
#endif

extern hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                             void* stream = nullptr);
extern hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, void* stream = nullptr);
#define hipLaunchKernelGGL(kernel, grid, block, shared_bytes, stream, ...) \
  kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
