#pragma once
/// Gates of products.
#include "elementwise/activation.hpp"
#include "plan/gate_type.hpp"

namespace kg {

/// The activation of a by the gate, times b.
KG_DEVICE f32 gated(GateType gate, f32 a, f32 b) {
  switch (gate) {
    case GateType::silu:
      return silu(a) * b;
    case GateType::gelu:
      return gelu(a) * b;
    case GateType::gelu_erf:
      return gelu_erf(a) * b;
    case GateType::gelu_quick:
      return gelu_quick(a) * b;
    default:
      return relu(a) * b;
  }
}

}  // namespace kg
