#pragma once
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/conv_direct_gpu.hpp"
#else
#include "engines/conv_direct_cpu.hpp"
#endif
