// The shape of candle's unary.cu: a macro an operation and type, extern "C", a contiguous and a strided way in one kernel;
// nvcc makes PTX of it. bench/toolchain.sh compiles it beside kernel-gen's.
#include <cuda_fp16.h>
#include <stdint.h>

__device__ bool is_contiguous(size_t dims, const size_t* sizes, const size_t* strides) {
  size_t expected = 1;
  for (size_t dim = dims; dim-- > 0;) {
    if (sizes[dim] > 1 && strides[dim] != expected) return false;
    expected *= sizes[dim];
  }
  return true;
}

__device__ size_t offset_of(size_t i, size_t dims, const size_t* sizes, const size_t* strides) {
  size_t offset = 0;
  for (size_t dim = dims; dim-- > 0;) {
    offset += i % sizes[dim] * strides[dim];
    i /= sizes[dim];
  }
  return offset;
}

#define UNARY(T, NAME, FUNCTION)                                                                              \
  extern "C" __global__ void NAME(const size_t n, const size_t dims, const size_t* info, const T* x, T* y) {  \
    const size_t *sizes = info, *strides = info + dims;                                                       \
    const bool plain = info == nullptr || is_contiguous(dims, sizes, strides);                                \
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {              \
      const T value = x[plain ? i : offset_of(i, dims, sizes, strides)];                                      \
      y[i] = static_cast<T>(FUNCTION);                                                                        \
    }                                                                                                         \
  }

#define UNARY_OF_EACH(NAME, FUNCTION)                                          \
  UNARY(float, NAME##_f32, FUNCTION(static_cast<float>(value)))                \
  UNARY(double, NAME##_f64, FUNCTION(static_cast<double>(value)))              \
  UNARY(__half, NAME##_f16, FUNCTION(static_cast<float>(value)))

UNARY_OF_EACH(uexp, exp)
UNARY_OF_EACH(ulog, log)
UNARY_OF_EACH(usin, sin)
UNARY_OF_EACH(ucos, cos)
UNARY_OF_EACH(usqrt, sqrt)
UNARY_OF_EACH(utanh, tanh)
UNARY_OF_EACH(uerf, erf)
UNARY_OF_EACH(uabs, fabs)
