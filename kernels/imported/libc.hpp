#pragma once
/// C's functions that device code may call. printf prints where HIP's runtime serves it.
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "imported/keywords.hpp"

#if KG_GPU
extern "C" __device__ int printf(const char* format, ...);
extern "C" __device__ inline void abort() { __builtin_trap(); }
extern "C" __device__ inline void __assert_fail(const char*, const char*, unsigned, const char*) {
  __builtin_trap();
}
extern "C" __device__ inline void* memcpy(void* to, const void* from, size_t bytes) {
  return __builtin_memcpy(to, from, bytes);
}
extern "C" __device__ inline void* memmove(void* to, const void* from, size_t bytes) {
  return __builtin_memmove(to, from, bytes);
}
extern "C" __device__ inline void* memset(void* to, int value, size_t bytes) {
  return __builtin_memset(to, value, bytes);
}
#endif

#ifdef KERNELGEN_CUDA_FILE
#include <limits>
#include <type_traits>
#include <utility>
/// libcu++'s names are those of the C++ library here.
namespace cuda::std {
using namespace ::std;
}
#endif
