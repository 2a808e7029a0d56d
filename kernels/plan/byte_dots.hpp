#pragma once
/// Whether products of many quantized columns are a CPU's own (engines/quantized_tile_cpu.hpp), which its kernels and their
/// caller ask alike.

namespace kg {

/// Whether this processor, and its system, have AVX512_VNNI.
inline bool has_byte_dots() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("avx512bw") != 0;
#else
  return false;
#endif
}

}  // namespace kg
