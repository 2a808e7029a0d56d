#pragma once
/// Walking strided operands whose elements a body reads and writes itself:
///
///   for_each_position(layout, f, steps...)
///
/// calls f(position) for this thread's part of the layout's elements; no element depends on another. On a CPU each of
/// `steps` (engines/steps.hpp) gets a loop of its own, which vectorises.
///
///   for_each_position_of(first, f, second, g, steps...)
///
/// does so for two layouts at once, either of which may be without elements.
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/walk_gpu.hpp"
#else
#include "engines/walk_cpu.hpp"
#endif
