#pragma once
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/conv_matrix_gpu.hpp"
#include "engines/conv_tile_gpu.hpp"
#else
#include "engines/conv_tile_cpu.hpp"
#endif
