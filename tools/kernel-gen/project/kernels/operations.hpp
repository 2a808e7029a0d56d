// What the operations of manifests/operations.json call in addition to functions of kernel-gen.
#pragma once
#include "elementwise/map.hpp"
#include "engines/grid_stride.hpp"

/// Largest whole multiple of `step` that is not above x.
KG_DEVICE inline kg::f32 snap(kg::f32 x, kg::f32 step) { return kg::floor(x / step) * step; }

/// y[i] = x[2 i] + x[2 i + 1], by all threads of a grid.
template <class T>
KG_DEVICE void pair_sums(const T* x, T* y, kg::i64 pairs) {
  kg::for_each_index(static_cast<kg::u64>(pairs), [&](kg::u64 i) {
    y[i] = kg::convert<T>(kg::widen(x[2 * i]) + kg::widen(x[2 * i + 1]));
  });
}
