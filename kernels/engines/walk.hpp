#pragma once
/// Walking strided operands whose elements a body reads and writes itself:
///
///   for_each_position(layout, f, steps...)
///
/// calls f(position) for this thread's part of the layout's elements; no element depends on another. On a CPU each of
/// `steps` (engines/steps.hpp) gets a loop of its own, which vectorises.
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/walk_gpu.hpp"
#else
#include "engines/walk_cpu.hpp"
#endif
