#pragma once
/// Convolutions of images: conv_direct, conv_narrow for some output channels a group, conv_wide for many. Narrow
/// floats and f32 are summed in f32, f64 in f64.
#include "device/conv_direct.hpp"
#include "device/conv_tile.hpp"
