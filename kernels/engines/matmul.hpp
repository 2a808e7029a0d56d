#pragma once
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/matmul_gpu.hpp"
#else
#include "engines/matmul_cpu.hpp"
#endif
