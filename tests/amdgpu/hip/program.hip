// A HIP program as a user writes one: fat binary, <<<>>>, symbols, streams, events. Exits with 0 if all is as it should be,
// 2 if it has no code for the GPU.
#include <cstdio>
#include <numeric>
#include <vector>

#include "hip_runtime.h"

__constant__ float factors[2];
__device__ unsigned launches;
__managed__ int shared_count = 5;

template <class T>
__global__ void scale(T* y, const T* x, int n) {
  const int i = (int)(blockIdx.x * 256 + threadIdx.x);
  if (i < n) y[i] = (T)factors[0] * x[i] + (T)factors[1];
  if (i == 0) __hip_atomic_fetch_add(&launches, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

__global__ void sum(float* result, const float* x) {
  extern __shared__ float partial[];
  partial[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  for (unsigned step = 128; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
  }
  if (threadIdx.x == 0) result[blockIdx.x] = partial[0];
}

__global__ void add_managed(int n) { shared_count += n; }

#define CHECK(call)                                              \
  if (const hipError_t status = (call); status != hipSuccess) {  \
    std::printf("%s: %d\n", #call, (int)status);                 \
    return status == hipErrorNoBinaryForGpu ? 2 : 1;             \
  }
#define EXPECT(condition)                      \
  if (!(condition)) {                          \
    std::printf("not true: %s\n", #condition); \
    return 1;                                  \
  }

template <class T>
int run(int n) {
  std::vector<T> x((std::size_t)n), y((std::size_t)n);
  std::iota(x.begin(), x.end(), T(1));
  T *from = nullptr, *to = nullptr;
  hipStream_t stream;
  CHECK(hipStreamCreate(&stream));
  CHECK(hipMalloc((void**)&from, sizeof(T) * x.size()));
  CHECK(hipMalloc((void**)&to, sizeof(T) * x.size()));
  CHECK(hipMemcpyAsync(from, x.data(), sizeof(T) * x.size(), hipMemcpyHostToDevice, stream));
  scale<<<(n + 255) / 256, 256, 0, stream>>>(to, from, n);
  CHECK(hipGetLastError());
  CHECK(hipStreamSynchronize(stream));
  CHECK(hipMemcpy(y.data(), to, sizeof(T) * y.size(), hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(y[(std::size_t)i] == T(2) * x[(std::size_t)i] + T(3));
  CHECK(hipFree(from));
  CHECK(hipFree(to));
  CHECK(hipStreamDestroy(stream));
  return 0;
}

/// Columns of the host's own memory.
int copy_rows() {
  float x[4][8] = {}, y[4][2] = {};
  for (int i = 0; i < 32; ++i) x[i / 8][i % 8] = (float)i;
  CHECK(hipHostRegister(x, sizeof x, 0));
  CHECK(hipMemcpy2D(y, sizeof y[0], &x[0][3], sizeof x[0], sizeof y[0], 4, hipMemcpyDeviceToHost));
  for (int row = 0; row < 4; ++row)
    EXPECT(y[row][0] == (float)(8 * row + 3) && y[row][1] == (float)(8 * row + 4));
  EXPECT(hipMemcpy2D(y, 4, x, 32, 8, 4, hipMemcpyDeviceToHost) == hipErrorInvalidValue);
  CHECK(hipHostUnregister(x));
  return 0;
}

/// Blocks of 256 that use 16 KiB of LDS: as many as there is LDS for.
int ask() {
  constexpr int lds_of_multiprocessor = 10002;
  int lds = 0, blocks = 0;
  CHECK(hipDeviceGetAttribute(&lds, lds_of_multiprocessor, 0));
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)sum, 256, 16384));
  EXPECT(blocks == lds / 16384);
  CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void*)sum, 1024, 0));
  EXPECT(blocks == 2);
  return 0;
}

int main() {
  const float values[2] = {2, 3};
  CHECK(hipMemcpyToSymbol((const void*)factors, values, sizeof values, 0, hipMemcpyHostToDevice));
  if (run<float>(1000) != 0 || run<double>(300) != 0 || run<int>(1) != 0) return 1;
  unsigned count = 0;
  CHECK(hipMemcpyFromSymbol(&count, (const void*)&launches, sizeof count, 0, hipMemcpyDeviceToHost));
  EXPECT(count == 3);

  EXPECT(shared_count == 5);
  add_managed<<<1, 1>>>(3);
  EXPECT(shared_count == 8);
  shared_count = 1;
  add_managed<<<1, 1>>>(1);
  EXPECT(shared_count == 2);
  if (copy_rows() != 0 || ask() != 0) return 1;

  hipEvent_t start, end;
  CHECK(hipEventCreate(&start));
  CHECK(hipEventCreate(&end));
  float *x = nullptr, *sums = nullptr, result[4];
  CHECK(hipMalloc((void**)&x, 4096));
  CHECK(hipMalloc((void**)&sums, 16));
  CHECK(hipMemset(x, 0, 4096));
  const float one = 1;
  CHECK(hipMemcpy(x + 700, &one, 4, hipMemcpyHostToDevice));
  CHECK(hipEventRecord(start, nullptr));
  sum<<<4, 256, 1024>>>(sums, x);
  CHECK(hipEventRecord(end, nullptr));
  CHECK(hipEventSynchronize(end));
  float milliseconds = -1;
  CHECK(hipEventElapsedTime(&milliseconds, start, end));
  EXPECT(milliseconds >= 0);
  CHECK(hipMemcpy(result, sums, 16, hipMemcpyDeviceToHost));
  EXPECT(result[0] == 0 && result[1] == 0 && result[2] == 1 && result[3] == 0);

  sum<<<1, 2000, 8000>>>(sums, x);  // more than a block may have
  EXPECT(hipGetLastError() == hipErrorInvalidValue);
  EXPECT(hipGetLastError() == hipSuccess);
  std::printf("passed\n");
  return 0;
}
