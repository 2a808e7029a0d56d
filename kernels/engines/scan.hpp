#pragma once
/// Prefix sums along rows, and along columns that lie side by side.
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/scan_gpu.hpp"
#else
#include "engines/scan_cpu.hpp"
#endif
