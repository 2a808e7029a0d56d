#pragma once
// Of HIP's headers what program.hip needs: they are not installed where the tests run.
#include <cstddef>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __shared__ __attribute__((shared))

enum hipError_t { hipSuccess = 0, hipErrorInvalidValue = 1, hipErrorNoBinaryForGpu = 209 };
enum hipMemcpyKind { hipMemcpyHostToDevice = 1, hipMemcpyDeviceToHost = 2 };
using hipStream_t = struct ihipStream_t*;
using hipEvent_t = struct ihipEvent_t*;
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned columns = 1, unsigned rows = 1, unsigned layers = 1)
      : x(columns), y(rows), z(layers) {}
};

extern "C" {
hipError_t hipMalloc(void** memory, std::size_t bytes);
hipError_t hipFree(void* memory);
hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind);
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind,
                          hipStream_t stream);
hipError_t hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                       std::size_t width, std::size_t height, hipMemcpyKind kind);
hipError_t hipHostRegister(void* memory, std::size_t bytes, unsigned flags);
hipError_t hipHostUnregister(void* memory);
hipError_t hipDeviceGetAttribute(int* value, int attribute, int device);
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int block_items,
                                                        std::size_t shared_bytes);
hipError_t hipMemset(void* to, int value, std::size_t bytes);
hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset,
                             hipMemcpyKind kind);
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                               hipMemcpyKind kind);
hipError_t hipStreamCreate(hipStream_t* stream);
hipError_t hipStreamSynchronize(hipStream_t stream);
hipError_t hipStreamDestroy(hipStream_t stream);
hipError_t hipEventCreate(hipEvent_t* event);
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream);
hipError_t hipEventSynchronize(hipEvent_t event);
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t end);
hipError_t hipGetLastError();
hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                           std::size_t shared_bytes, hipStream_t stream);
hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared_bytes = 0,
                                      hipStream_t stream = nullptr);
hipError_t __hipPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared_bytes, hipStream_t* stream);
}

#define KERNELGEN_POSITION(name, builtin)                       \
  struct name##_t {                                             \
    __declspec(property(get = get_x)) unsigned x;               \
    __device__ unsigned get_x() const { return builtin##_x(); } \
  };                                                            \
  __device__ inline constexpr name##_t name{};
KERNELGEN_POSITION(threadIdx, __builtin_amdgcn_workitem_id)
KERNELGEN_POSITION(blockIdx, __builtin_amdgcn_workgroup_id)
#undef KERNELGEN_POSITION
__device__ inline void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
