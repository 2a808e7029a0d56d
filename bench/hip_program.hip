// A HIP program for bench/hip_binaries_run.sh. Exits with 0 if its kernels compute what they should, with 2 if it has no code for
// the GPU.
#include <hip/hip_runtime.h>

#include <cstdio>

#define CHECK(call)                                             \
  if (const hipError_t status = (call); status != hipSuccess) { \
    std::printf("%s: %d\n", #call, static_cast<int>(status));   \
    return status == hipErrorNoBinaryForGpu ? 2 : 1;            \
  }

__constant__ float factor;

template <class T>
__global__ void scale(T* y, const T* x, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = static_cast<T>(factor) * x[i];
}

/// Code of some kilobytes: without it a compressed program has nothing to lose.
template <int N>
__global__ void iterate(unsigned* x) {
  unsigned value = x[threadIdx.x];
#pragma unroll
  for (unsigned i = 1; i <= N; ++i) value = (value ^ value >> (i % 13 + 1)) * (2654435761u * i + N);
  x[threadIdx.x] = value;
}

template <int N>
int run_iterate() {
  unsigned x[64], *there = nullptr;
  for (unsigned i = 0; i < 64; ++i) x[i] = i;
  CHECK(hipMalloc(reinterpret_cast<void**>(&there), sizeof x));
  CHECK(hipMemcpy(there, x, sizeof x, hipMemcpyHostToDevice));
  iterate<N><<<1, 64>>>(there);
  CHECK(hipMemcpy(x, there, sizeof x, hipMemcpyDeviceToHost));
  for (unsigned lane = 0; lane < 64; ++lane) {
    unsigned value = lane;
    for (unsigned i = 1; i <= N; ++i) value = (value ^ value >> (i % 13 + 1)) * (2654435761u * i + N);
    if (x[lane] != value) {
      std::printf("lane %u of %d iterations is wrong\n", lane, N);
      return 1;
    }
  }
  return 0;
}

template <class T>
int run() {
  constexpr int n = 1000;
  T x[n], y[n], *from = nullptr, *to = nullptr;
  for (int i = 0; i < n; ++i) x[i] = static_cast<T>(i);
  CHECK(hipMalloc(reinterpret_cast<void**>(&from), sizeof x));
  CHECK(hipMalloc(reinterpret_cast<void**>(&to), sizeof y));
  CHECK(hipMemcpy(from, x, sizeof x, hipMemcpyHostToDevice));
  scale<<<4, 256>>>(to, from, n);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(y, to, sizeof y, hipMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i)
    if (y[i] != static_cast<T>(2.5f) * x[i]) {
      std::printf("element %d is wrong\n", i);
      return 1;
    }
  return 0;
}

int main() {
  const float value = 2.5f;
  CHECK(hipMemcpyToSymbol(HIP_SYMBOL(factor), &value, sizeof value));
  if (const int status = run<float>()) return status;
  if (const int status = run<double>()) return status;
  if (const int status = run_iterate<500>()) return status;
  return run_iterate<1000>();
}
