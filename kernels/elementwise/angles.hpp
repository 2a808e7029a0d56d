#pragma once
/// Element-wise operations, of which sin and cos of small angles have a shorter loop on CPUs.
#include "elementwise/map.hpp"

#if !KG_GPU
namespace kg {

namespace {
struct sin_op;  // generated from manifests/core/math.json
struct cos_op;
}  // namespace

template <>
inline constexpr bool takes_small_angles<sin_op> = true;
template <>
inline constexpr bool takes_small_angles<cos_op> = true;

}  // namespace kg
#endif
