#pragma once
/// Element types with compact kernel code, shared by kernels and their callers.
namespace kg {

/// Whether an element type gets compact code in packages that hold its kernels for many targets, which is on
/// AMD GPUs and CPUs: f64 functions and f8e4m3 conversions are long and seldom used. Such kernels have fewer
/// bodies, and loops instead of unrolled code.
constexpr bool has_compact_code(unsigned element_bytes, bool is_float) {
  return is_float && (element_bytes == 8 || element_bytes == 1);
}

}  // namespace kg
