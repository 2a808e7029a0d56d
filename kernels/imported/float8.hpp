#pragma once
/// CUDA's __nv_fp8_e4m3, HIP's __hip_fp8_e4m3: OCP's format.
#include "imported/half.hpp"

enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
typedef unsigned char __nv_fp8_storage_t;

struct __nv_fp8_e4m3 {
  __nv_fp8_storage_t __x;

  __nv_fp8_e4m3() = default;
  template <class T, class = kg::enable_if<!kg::same<T, __nv_fp8_e4m3>>>
  KG_DEVICE explicit __nv_fp8_e4m3(T x) : __x(kg::narrow<kg::f8e4m3>(static_cast<float>(x)).bits) {}
  KG_DEVICE explicit operator float() const { return kg::widen(kg::f8e4m3{__x}); }
  KG_DEVICE explicit operator double() const { return static_cast<float>(*this); }
  KG_DEVICE explicit operator __half() const { return __half(static_cast<float>(*this)); }
};
using __hip_fp8_e4m3 = __nv_fp8_e4m3;

namespace kernelgen_import {
KG_DEVICE float float8(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  // e5m2 is the upper byte of f16.
  return format == __NV_E4M3 ? kg::widen(kg::f8e4m3{x})
                             : static_cast<float>(__half(__half_raw{static_cast<unsigned short>(x << 8)}));
}
}  // namespace kernelgen_import
KG_DEVICE __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t format) {
  return __half(kernelgen_import::float8(x, format));
}
/// To e4m3, saturated.
KG_DEVICE __nv_fp8_storage_t __nv_cvt_float_to_fp8(float x, __nv_saturation_t, __nv_fp8_interpretation_t) {
  return kg::narrow<kg::f8e4m3>(x).bits;
}
