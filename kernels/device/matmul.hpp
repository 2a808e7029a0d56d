#pragma once
#include "device/dialect.hpp"

#if defined(__HIP__) || defined(__CUDACC__)
#include "device/matmul_gpu.hpp"
#else
#include "device/matmul_cpu.hpp"
#endif
