#include <hip/hip_runtime.h>

/// y += a x. The program calls it as mine::Kernels(device).saxpy(stream, grid, block, n, a, x, y).
__global__ void __launch_bounds__(256) saxpy(unsigned n, float a, const float* x, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
