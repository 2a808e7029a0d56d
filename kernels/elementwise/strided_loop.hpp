#pragma once
/// Loops over strided operands whose elements the body reads and writes itself:
///
///   for_each_position(layout, f, steps...)
///
/// calls f(position) for this thread's share of the layout's elements, which must be independent. On a CPU,
/// each of `steps` (elementwise/inner_strides.hpp) gets a vectorized loop.
///
///   for_each_position_of(first, f, second, g, steps...)
///
/// processes two layouts in one launch, either of which may be empty.
#include "device/dialect.hpp"

#if KG_GPU
#include "elementwise/strided_loop_gpu.hpp"
#else
#include "elementwise/strided_loop_cpu.hpp"
#endif
