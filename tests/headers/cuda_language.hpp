#pragma once
/// What nvcc declares of CUDA and kernels use, so that clang reads them without a CUDA toolkit.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __align__(n) __attribute__((aligned(n)))

#define OF_ONE(name)                         \
  extern "C" __device__ double name(double); \
  extern "C" __device__ float name##f(float)
#define OF_TWO(name)                                 \
  extern "C" __device__ double name(double, double); \
  extern "C" __device__ float name##f(float, float)
OF_ONE(sin);
OF_ONE(cos);
OF_ONE(exp);
OF_ONE(expm1);
OF_ONE(log);
OF_ONE(tanh);
OF_ONE(erf);
OF_ONE(erfc);
OF_ONE(floor);
OF_ONE(ceil);
OF_ONE(trunc);
OF_ONE(rint);
OF_ONE(sqrt);
OF_TWO(pow);
OF_TWO(fmax);
OF_TWO(fmin);
extern "C" __device__ double fma(double a, double b, double c);
extern "C" __device__ float fmaf(float a, float b, float c);

__device__ unsigned __byte_perm(unsigned low, unsigned high, unsigned selector);
__device__ unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift);
__device__ int __dp4a(int a, int b, int sum);
__device__ unsigned __umulhi(unsigned a, unsigned b);
__device__ int __popc(unsigned x);
__device__ int __ffs(int x);
__device__ void __syncthreads();
__device__ void __syncwarp(unsigned lanes = 0xffffffff);
__device__ void __threadfence();
__device__ unsigned __ballot_sync(unsigned lanes, int predicate);
template <class T>
__device__ T __shfl_sync(unsigned lanes, T value, int lane, int width = 32);
__device__ unsigned long __cvta_generic_to_shared(const void* pointer);
template <class T>
__device__ T atomicAdd(T* to, T value);
template <class T>
__device__ T atomicExch(T* to, T value);
template <class T>
__device__ T atomicCAS(T* to, T expected, T value);
template <class T>
__device__ T atomicMax(T* to, T value);
