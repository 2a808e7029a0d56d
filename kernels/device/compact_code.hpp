#pragma once
#include "device/dialect.hpp"
#include "plan/compact_code.hpp"

namespace kg {

/// Whether packages hold these kernels for many targets. On CUDA one target and its PTX serve all GPUs.
#if defined(__CUDACC__)
inline constexpr bool is_one_of_many_targets = false;
#else
inline constexpr bool is_one_of_many_targets = true;
#endif

/// Whether kernels of T get compact code.
template <class T>
inline constexpr bool is_compact =
    is_one_of_many_targets && has_compact_code(sizeof(T), is_narrow_float<T> || is_wide_float<T>);

}  // namespace kg
