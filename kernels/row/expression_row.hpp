#pragma once
/// What the generated bodies of operations on rows, whose steps a manifest writes as expressions, need of other headers.
#include "device/quotient.hpp"
#include "elementwise/activation.hpp"
#include "row/row.hpp"
#include "row/row_reduction.hpp"

namespace kg {

/// A step's number or element: of the compute type V, or one for each lane.
template <class V, class Value>
KG_DEVICE auto row_value(Value value) {
  if constexpr (__is_class(Value))
    return value;
  else
    return convert<V>(value);
}

}  // namespace kg
