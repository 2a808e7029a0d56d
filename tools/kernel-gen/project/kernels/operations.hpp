// What the operations of manifests/operations.json call in addition to functions of kernel-gen.
#pragma once
#include "elementwise/map.hpp"

/// Largest whole multiple of `step` that is not above x.
KG_DEVICE inline kg::f32 snap(kg::f32 x, kg::f32 step) { return kg::floor(x / step) * step; }
