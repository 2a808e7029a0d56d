#pragma once
/// Convolutions of images: conv_direct, conv_narrow for some output channels a group, conv_wide for many. Narrow
/// floats and f32 are summed in f32, f64 in f64.
#include "engines/conv_direct.hpp"
#include "engines/conv_repair.hpp"
#include "engines/conv_tile.hpp"
