// What projects with kernels in HIP have: a file an operation (-DOP=exp), its element types and layouts as instances of one
// template. bench/toolchain.sh compiles it beside kernel-gen's.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdint>

struct Layout {
  int dims;
  std::int64_t sizes[8];
  std::int64_t strides[8];
};

__device__ std::int64_t offset_of(std::int64_t i, const Layout& layout) {
  std::int64_t offset = 0;
  for (int dim = layout.dims - 1; dim >= 0; --dim) {
    offset += i % layout.sizes[dim] * layout.strides[dim];
    i /= layout.sizes[dim];
  }
  return offset;
}

template <class T, class Compute>
__global__ void contiguous(const T* x, T* y, std::int64_t n) {
  for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = static_cast<T>(OP(static_cast<Compute>(x[i])));
}

template <class T, class Compute>
__global__ void strided(const T* x, T* y, std::int64_t n, Layout layout) {
  for (std::int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = static_cast<T>(OP(static_cast<Compute>(x[offset_of(i, layout)])));
}

#define INSTANCES(T, Compute)                                                            \
  template __global__ void contiguous<T, Compute>(const T*, T*, std::int64_t);           \
  template __global__ void strided<T, Compute>(const T*, T*, std::int64_t, Layout);
INSTANCES(float, float)
INSTANCES(double, double)
INSTANCES(__half, float)
