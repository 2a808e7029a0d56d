// What files of CUDA use, for `kernel-gen import`: warps have 32 lanes on every GPU.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__inline__ __device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffff, value, offset);
  return value;
}

extern "C" __global__ void softmax_rows(float* __restrict__ y, const float* __restrict__ x, int columns) {
  const int row = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize, lane = threadIdx.x % warpSize;
  float sum = 0;
  for (int i = lane; i < columns; i += warpSize) sum += __expf(__ldg(x + row * columns + i));
  sum = warp_sum(sum);
  for (int i = lane; i < columns; i += warpSize) y[row * columns + i] = __fdividef(__expf(x[row * columns + i]), sum);
}

/// Per warp: which lanes have odd elements, whether any or all do, and their sum.
__global__ void votes(unsigned* y, const unsigned* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, mask = 0xffffffff;
  const unsigned odd = __ballot_sync(mask, x[i] & 1), sum = __reduce_add_sync(mask, x[i]);
  const int any = __any_sync(mask, x[i] & 1), all = __all_sync(mask, x[i] & 1);
  const unsigned first = __shfl_sync(mask, x[i], 0);
  __syncwarp();
  if (threadIdx.x % 32 == 0) {
    y[i / 32 * 4] = odd;
    y[i / 32 * 4 + 1] = sum;
    y[i / 32 * 4 + 2] = any + 2 * all;
    y[i / 32 * 4 + 3] = first;
  }
}

int main() {
  cudaStream_t stream = nullptr;
  softmax_rows<<<1, 64, 0, stream>>>(nullptr, nullptr, 0);
  return cudaUnknownFunction();
}
