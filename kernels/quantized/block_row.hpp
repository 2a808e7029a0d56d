#pragma once
/// Converts slices `begin` to `end` of a row of blocks to elements of T, by a group of threads:
///
///   stores_wide(y, n)                                        whether y allows wide stores
///   dequantize_slices(group, row, begin, end, y, is_wide)    converts part of these n elements
#include "device/group.hpp"
#include "quantized/block_format.hpp"

#if KG_GPU
#include "quantized/block_row_gpu.hpp"
#else
#include "quantized/block_row_cpu.hpp"
#endif
