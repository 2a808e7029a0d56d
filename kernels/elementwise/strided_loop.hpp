#pragma once
/// Loops over strided operands whose elements the body reads and writes itself:
///
///   for_each_position(first, f, second, g, steps...)
///
/// calls f(position) and g(position) for this thread's share of the elements of two layouts, either of which may be
/// empty. The elements must be independent. On a CPU, each of `steps` (elementwise/inner_strides.hpp) gets a
/// vectorized loop.
#include "device/dialect.hpp"

#if KG_GPU
#include "elementwise/strided_loop_gpu.hpp"
#else
#include "elementwise/strided_loop_cpu.hpp"
#endif
