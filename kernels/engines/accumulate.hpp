#pragma once
/// Combining many elements into the State of a reduction (reduction.hpp) with many partial results, so that
/// the error of n terms stays far under n steps of rounding and memory is kept busy.
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/accumulate_gpu.hpp"
#else
#include "engines/accumulate_cpu.hpp"
#endif
