#pragma once
/// Gates of products as kernel arguments, shared by kernels and their callers.
namespace kg {

/// The function of the first of two sums that the second one is multiplied by.
enum class GateType : unsigned { none, silu, gelu, gelu_erf, gelu_quick, relu };

}  // namespace kg
