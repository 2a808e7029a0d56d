#pragma once
#include "device/dialect.hpp"

#if KG_GPU
#include "attention/simt_gpu.hpp"
#else
#include "attention/attention_cpu.hpp"
#endif
