#pragma once
/// Slices `begin` to `end` of a row of blocks as elements of T, by a group of threads:
///
///   stores_wide(y, n)                                        whether n elements at y are stored as is best for many
///   dequantize_slices(group, row, begin, end, y, is_wide)    which these are part of
#include "device/group.hpp"
#include "engines/block_format.hpp"

#if KG_GPU
#include "engines/block_row_gpu.hpp"
#else
#include "engines/block_row_cpu.hpp"
#endif
