#pragma once
/// The element-wise engine: y[i] = op(x[i]…), over contiguous or strided operands. `op` takes and gives
/// widened values. y may be one of the inputs (same address and layout): every element is read before it is
/// written. Right for every grid and block size.
///
///   map(op, y, n, x...)       all operands contiguous; any alignment; n up to 2^63
///   map(op, y, layout, x...)  Strided<inputs>: y contiguous; Strided<inputs + 1>: y strided too, by the last
///   strides
#include "activation.hpp"
#include "engines/map.hpp"
