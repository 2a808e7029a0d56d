#pragma once
#include "device/dialect.hpp"

#if defined(__HIP__) || defined(__CUDACC__)
#include "device/map_gpu.hpp"
#else
#include "device/map_cpu.hpp"
#endif
