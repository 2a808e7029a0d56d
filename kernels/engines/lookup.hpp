#pragma once
/// Elements that indices point to:
///
///   look_up(x, ids, y, layout, step, first, check)
///
/// An index for each element of y, which are element `first` of the result and those behind it; one that is no
/// place gives 0. `layout` holds x's strides, 0 along the dim, then those of ids; x's elements lie `step` apart
/// along the dim.
///
///   look_up_runs(x, ids, y, runs, step, first, length, part, threads, check)
///
/// An index for each run of `length` neighbours in x and y. `runs` walks the runs as look_up's layout does the elements. A
/// group of `threads` takes up to `part` elements of a run at a time.
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/lookup_gpu.hpp"
#else
#include "engines/lookup_cpu.hpp"
#endif
