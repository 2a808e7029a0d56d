#pragma once
/// As much of the host's API as declarations of imported files need: their types, and what <<<>>> stands for. Host functions
/// are skipped, so calls of all others may be unknown.
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
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerMultiprocessor;                                   \
    int major, minor, multiProcessorCount, warpSize, maxThreadsPerBlock;                                    \
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

extern hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes = 0,
                                             void* stream = nullptr);
extern hipError_t hipConfigureCall(dim3 grid, dim3 block, size_t shared_bytes = 0, void* stream = nullptr);
#define hipLaunchKernelGGL(kernel, grid, block, shared_bytes, stream, ...) \
  kernel<<<grid, block, shared_bytes, stream>>>(__VA_ARGS__)
