#pragma once
/// For nvcc: NVIDIA's own headers, and HIP's names for what they have under others.
#include <cuda_runtime.h>
#include <stdint.h>

// What these need comes with CCCL, which an install may lack.
#if __has_include(<nv/target>)
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#define KG_BOTH __host__ __device__ __forceinline__
#define __shfl(value, source, ...) __shfl_sync(~0u, value, source, ##__VA_ARGS__)
#define __shfl_up(value, delta, ...) __shfl_up_sync(~0u, value, delta, ##__VA_ARGS__)
#define __shfl_down(value, delta, ...) __shfl_down_sync(~0u, value, delta, ##__VA_ARGS__)
#define __shfl_xor(value, mask, ...) __shfl_xor_sync(~0u, value, mask, ##__VA_ARGS__)
#define __ballot(predicate) __ballot_sync(~0u, predicate)
#define __any(predicate) __any_sync(~0u, predicate)
#define __all(predicate) __all_sync(~0u, predicate)
#define __lane_id() (threadIdx.x % 32)
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
