#pragma once
/// Slices `begin` to `end` of a row of blocks as elements of T, by a group of threads:
///
///   dequantize_slices(group, row, begin, end, y, is_aligned)    y to 16 bytes where is_aligned
#include "device/group.hpp"
#include "engines/block_format.hpp"

#if KG_GPU
#include "engines/block_row_gpu.hpp"
#else
#include "engines/block_row_cpu.hpp"
#endif
