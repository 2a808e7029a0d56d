// Threads that work together: for GPUs alone.
#include <hip/hip_runtime.h>

__global__ void __launch_bounds__(64) total(float* y, const float* x) {
  __shared__ float part[64];
  part[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned half = blockDim.x / 2; half != 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
