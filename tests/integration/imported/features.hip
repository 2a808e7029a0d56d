// What files of HIP use, for `kernel-gen import`: each kernel a part of the device API, next to host code that is skipped.
#include <hip/hip_runtime.h>
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <vendor/library.h>

#include <cstdio>
#include <vector>

/// One sum a wave, whatever its width; y holds one element a wave of 32.
__global__ void wave_sums(float* y, const float* x) {
  float sum = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = warpSize / 2; offset != 0; offset /= 2) sum += __shfl_down(sum, offset);
  if (threadIdx.x % warpSize == 0) y[(blockIdx.x * blockDim.x + threadIdx.x) / warpSize] = sum;
}

/// How many threads before this one, in its wave, have a positive element.
__global__ void ranks(int* y, const float* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % warpSize;
  const unsigned long long positive = __ballot(x[i] > 0);
  y[i] = __popcll(positive & ((1ull << lane) - 1));
}

extern __shared__ float row[];

__global__ void reverse(float* x) {
  row[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  x[blockIdx.x * blockDim.x + threadIdx.x] = row[blockDim.x - 1 - threadIdx.x];
}

/// counts[bin], then the largest element and the number of threads by compare-and-swap.
__global__ void __launch_bounds__(128) histogram(int* counts, const int* x, unsigned bins) {
  const int value = x[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&counts[value % bins], 1);
  atomicMax(&counts[bins], value);
  int* const threads = &counts[bins + 1];
  int seen = *threads, before;
  do before = seen;
  while ((seen = atomicCAS(threads, before, before + 1)) != before);
  __threadfence();
}

struct Line {
  float4 slope;
  float offset;
};

__global__ void lines(float4* y, const float4* x, Line line, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * line.slope + line.offset;
}

__global__ void narrow(__half2* y, const __half2* x, __hip_bfloat16* z) {
  const unsigned i = threadIdx.x;
  y[i] = __hfma2(x[i], __float2half2_rn(2.0f), __floats2half2_rn(1.0f, -1.0f));
  z[i] = __float2bfloat16(__half2float(__low2half(x[i])) * 0.5f);
}

/// The sum of each tile of 16 threads, and what a thread's neighbour in it has.
__global__ void tiles(float* y, const float* x) {
  namespace cg = cooperative_groups;
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const float value = x[block.thread_rank()];
  const float sum = cg::reduce(tile, value, cg::plus<float>());
  y[block.thread_rank()] = sum + tile.shfl_xor(value, 1);
}

__global__ void plane(int* y) {
  const dim3 i(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
  y[i.y * gridDim.x * blockDim.x + i.x] = i.y * 100 + i.x;
}

namespace scaled {
template <class T, int N>
__global__ void by(T* y, const T* x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * T(N);
}
template __global__ void by<int, 3>(int*, const int*);
}  // namespace scaled

/// Only a GPU can run it: its file has other kernels all the same.
struct Session {
  Session() { vendor_create(&handle); }
  vendor_handle handle;
  hipStream_t stream = nullptr;
};

void vendor_call(Session& session, vendor_handle other) { vendor_use(session.handle, other); }

#define LAUNCHER(name, kernel)                           \
  extern "C" void name(int* y, hipStream_t stream) {     \
    kernel<<<dim3(2, 2), dim3(8, 8), 0, stream>>>(y);    \
  }

LAUNCHER(launch_plane, plane)

int main() {
  float *x = nullptr, *y = nullptr;
  std::vector<float> host(1024);
  if (hipMalloc(&x, 4096) != hipSuccess) fprintf(stderr, "no memory\n");
  scaled::by<float, 2><<<dim3(4), dim3(256), 0, nullptr>>>(y, x);
  hipLaunchKernelGGL(reverse, dim3(4), dim3(256), 1024, nullptr, x);
  return hipUnknownFunction(host.data());
}
