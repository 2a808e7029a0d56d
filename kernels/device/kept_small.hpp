#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Whether packages hold these kernels for many targets at once: on CUDA one, and its PTX, serve all GPUs that there are.
#if defined(__CUDACC__)
inline constexpr bool is_one_of_many_targets = false;
#else
inline constexpr bool is_one_of_many_targets = true;
#endif

/// Element types in which programs seldom compute and whose code is long: functions of f64, and what f8e4m3 is made of and
/// becomes. Where a package is for many targets their kernels have fewer bodies, and loops in place of as many copies of one
/// element's code.
template <class T>
inline constexpr bool is_kept_small = is_one_of_many_targets && (same<T, f64> || same<T, f8e4m3>);

}  // namespace kg
