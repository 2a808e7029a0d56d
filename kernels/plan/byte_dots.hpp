#pragma once
/// Whether a CPU multiplies many quantized columns by quantized/tile_cpu.hpp; kernels and their callers both
/// test this.

namespace kg {

/// Whether the processor supports AVX512_VNNI and AVX512BW, and the operating system enables them.
inline bool has_byte_dots() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512vnni") != 0 && __builtin_cpu_supports("avx512bw") != 0;
#else
  return false;
#endif
}

}  // namespace kg
