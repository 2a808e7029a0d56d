#pragma once
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/map_gpu.hpp"
#else
#include "engines/map_cpu.hpp"
#endif
