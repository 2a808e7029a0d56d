#pragma once
/// The keywords of HIP and CUDA, but __global__ (begin_file.hpp).
#include "device/dialect.hpp"

#if defined(__HIP__)
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define KG_BOTH __attribute__((host, device, always_inline)) inline
#else
#define __host__
#define __device__
// A block runs on one thread.
#define __shared__ thread_local
#define __constant__
#define __managed__
// A keyword of clang's elsewhere. The C++ library's headers have it as an attribute's name.
#define __noinline__
#define KG_BOTH __attribute__((always_inline)) inline
#endif

#define __forceinline__ inline __attribute__((always_inline))
#define __align__(...) __attribute__((aligned(__VA_ARGS__)))
#define __grid_constant__
#define __cluster_dims__(...)

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define HIP_SYMBOL(name) name

// A file that includes CUDA's headers is written for warps of 32 lanes and CUDA's macros; one that includes HIP's for the
// wave of the GPU. kernel-gen import defines KERNELGEN_CUDA_FILE.
#ifdef KERNELGEN_CUDA_FILE
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 800
#endif
#define CUDART_VERSION 12000
#define CUDA_VERSION 12000
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 0
#else
#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_PLATFORM_HCC__ 1
#define HIP_VERSION_MAJOR 6
#define HIP_VERSION_MINOR 0
#define HIP_VERSION_PATCH 0
#define HIP_VERSION 60000000
#if !KG_GPU
#define __HIP_DEVICE_COMPILE__ 1
#endif
#endif
