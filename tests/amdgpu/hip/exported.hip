// A HIP program that calls kernels of a package, linked as an object that `kernel-gen export --fatbin` wrote.
#include "hip_runtime.h"
#include "kernels.hpp"

#include <cmath>
#include <cstdio>

#define CHECK(call)                                             \
  if (const hipError_t status = (call); status != hipSuccess) { \
    std::printf("%s: %d\n", #call, (int)status);                \
    return status == hipErrorNoBinaryForGpu ? 2 : 1;            \
  }

int main() {
  constexpr unsigned n = 1000;
  float x[n], sum[n], result[n];
  for (unsigned i = 0; i < n; ++i) x[i] = (float)i / n;
  float *from = nullptr, *to = nullptr;
  CHECK(hipMalloc((void**)&from, sizeof x));
  CHECK(hipMalloc((void**)&to, sizeof x));
  CHECK(hipMemcpy(from, x, sizeof x, hipMemcpyHostToDevice));
  kg_exp_f32<<<4, 256>>>(from, to, n);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(result, to, sizeof x, hipMemcpyDeviceToHost));
  // A kernel of another module, by its address.
  unsigned long long count = n;
  void* arguments[] = {&from, &to, &to, &count};
  CHECK(hipLaunchKernel((const void*)kg_add_f32, 4, 256, arguments, 0, nullptr));
  CHECK(hipMemcpy(sum, to, sizeof x, hipMemcpyDeviceToHost));
  for (unsigned i = 0; i < n; ++i)
    if (std::fabs(result[i] - std::exp(x[i])) > 1e-6f * result[i] || sum[i] != x[i] + result[i]) {
      std::printf("element %u: exp(%g) is %g, the sum %g\n", i, x[i], result[i], sum[i]);
      return 1;
    }
  std::printf("passed\n");
  return 0;
}
