// Before an imported file: its kernels are kernels while clang reads them (KERNELGEN_IMPORT), and functions of the device,
// which the package's kernels call, when they are built. end_file.hpp undoes it.
#pragma push_macro("__global__")
#pragma push_macro("__launch_bounds__")
#undef __global__
#undef __launch_bounds__
#if defined(KERNELGEN_IMPORT)
#define __global__ __attribute__((global))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
// Not inline, which an explicit instantiation may not be.
#if defined(__NVCC__)
#define __global__ __device__
#else
#define __global__ __device__ __attribute__((always_inline, internal_linkage))
#endif
#define __launch_bounds__(...)
#endif
