#pragma once
/// What manifests/candle/ffi.json takes its kernels from.
#include "candle/experts.hpp"
#include "candle/product_tile.hpp"

#if KG_GPU
// Tiles of 128 threads keep more sums in registers than matrix_tile_gpu.hpp would leave them.
#undef KG_BOUNDS
#define KG_BOUNDS KG_BOUNDS_OF_TWO_BLOCKS
#endif
