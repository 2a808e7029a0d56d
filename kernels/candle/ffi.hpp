#pragma once
/// What manifests/candle/ffi.json takes its kernels from.
#include "candle/experts.hpp"
#include "candle/product_tile.hpp"
