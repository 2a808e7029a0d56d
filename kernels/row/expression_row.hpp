#pragma once
/// Includes for the bodies that kernel-gen generates from a manifest's "row".
#include "device/quotient.hpp"
#include "elementwise/activation.hpp"
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {

/// The value of a step in the compute type V, which an expression such as x - 0.5 promotes to f64. Vectors of several rows
/// (Simd, one row per lane) have that type already.
template <class V, class Value>
KG_DEVICE auto row_value(Value value) {
  if constexpr (__is_class(Value))
    return value;
  else
    return convert<V>(value);
}

}  // namespace kg
