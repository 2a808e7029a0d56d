#pragma once
#include "device/dialect.hpp"

#if defined(__HIP__) || defined(__CUDACC__)
#include "device/conv_matrix_gpu.hpp"
#include "device/conv_tile_gpu.hpp"
#else
#include "device/conv_tile_cpu.hpp"
#endif
