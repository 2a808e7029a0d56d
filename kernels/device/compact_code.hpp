#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Whether packages hold these kernels for many targets. On CUDA one target and its PTX serve all GPUs.
#if defined(__CUDACC__)
inline constexpr bool is_one_of_many_targets = false;
#else
inline constexpr bool is_one_of_many_targets = true;
#endif

/// Element types that get compact code: f64 functions and f8e4m3 conversions are long and seldom used. In
/// packages for many targets their kernels have fewer bodies, and loops instead of unrolled code.
template <class T>
inline constexpr bool is_compact = is_one_of_many_targets && (same<T, f64> || same<T, f8e4m3>);

}  // namespace kg
