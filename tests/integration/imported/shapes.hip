// Kernels as users of HIP write them, for `kernel-gen import`.
#include <hip/hip_runtime.h>

#include <cstdint>

#include "shift.hpp"

/// y = sqrt(x) factor
extern "C" __global__ void __launch_bounds__(128)
    scale(float* __restrict__ y, const float* __restrict__ x, size_t n, float factor) {
  const size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(x[i]) * factor;
}

__global__ void shift(uint32_t* y, const uint32_t* x, unsigned long long n, int8_t by, bool up) {
  const unsigned long long step = 1ull * gridDim.x * blockDim.x;
  for (unsigned long long i = 1ull * blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    y[i] = shifted(x[i], by, up);
}

/// Named by words that Rust keeps and that its wrappers use themselves.
__global__ void __launch_bounds__(64) loop(double* in, const int16_t* stream, uint32_t grid) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < grid) in[i] = stream[i];
}
