#pragma once
/// Combines many elements into the State of a reduction (reduction.hpp). Uses many partial results, so that
/// the error of n terms stays far below that of n sequential roundings, and loads stay in flight.
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/accumulate_gpu.hpp"
#else
#include "engines/accumulate_cpu.hpp"
#endif
