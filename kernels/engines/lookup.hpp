#pragma once
/// Elements that indices point to:
///
///   look_up(x, ids, y, layout, step, first, check)
///
/// An index for each element of y, which are element `first` of the result and those behind it; one that is no
/// place gives 0. `layout` holds x's strides, 0 along the dim, then those of ids; x's elements lie `step` apart
/// along the dim.
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/lookup_gpu.hpp"
#else
#include "engines/lookup_cpu.hpp"
#endif
