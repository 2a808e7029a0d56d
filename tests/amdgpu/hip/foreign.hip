// Kernels as others build them: mangled names, a template, a struct by value, a kernel without arguments.
#include "hip_runtime.h"

struct Line {
  float factor, offset;
  unsigned step;
};

__global__ void line(float* y, const float* x, Line by, int n) {
  const unsigned i = blockIdx.x * 64 + threadIdx.x;
  if (i < (unsigned)n) y[i] = by.factor * x[i / by.step * by.step] + by.offset;
}

template <class T>
__global__ void fill(T* y, T value) {
  y[threadIdx.x] = value;
}
template __global__ void fill<double>(double*, double);
template __global__ void fill<short>(short*, short);

__global__ void idle() {}
