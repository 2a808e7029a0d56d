#pragma once
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/attention_rows_gpu.hpp"
#else
#include "engines/attention_rows_cpu.hpp"
#endif
