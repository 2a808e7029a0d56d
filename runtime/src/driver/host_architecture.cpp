#include "driver/host_architecture.hpp"

#include <cpuid.h>

#include <cstdint>

namespace kernelgen {

std::string_view host_architecture() {
  __builtin_cpu_init();
  // Not every compiler's __builtin_cpu_supports knows the level names or the three features asked of cpuid
  // here.
  std::uint32_t a = 0, b = 0, leaf1_c = 0, extended_c = 0, d = 0;
  __get_cpuid(1, &a, &b, &leaf1_c, &d);
  __get_cpuid(0x80000001, &a, &b, &extended_c, &d);
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                  (leaf1_c & bit_F16C) != 0 && (leaf1_c & bit_MOVBE) != 0 && (extended_c & bit_LZCNT) != 0;
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  return v4 ? "x86-64-v4" : v3 ? "x86-64-v3" : "x86-64";
}

}  // namespace kernelgen
