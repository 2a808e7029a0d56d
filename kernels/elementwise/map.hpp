#pragma once
/// The element-wise engine: y[i] = op(x[i]…) over contiguous or strided operands. `op` takes and returns
/// widened values. y may alias an input with the same address and layout: every element is read before it is
/// written. Correct for every grid and block size.
///
///   map(op, y, n, x...)       all operands contiguous; any alignment; n up to 2^63
///   map(op, y, layout, x...)  Strided<inputs>: y contiguous; Strided<inputs + 1>: y strided too, by the last
///                             strides. All strides fit 32 bits
#include "elementwise/activation.hpp"

#if KG_GPU
#include "engines/map_gpu.hpp"
#else
#include "engines/map_cpu.hpp"
#endif
