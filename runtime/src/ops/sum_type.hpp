#pragma once
#include "kernelgen/dtype.hpp"

namespace kernelgen {

/// The dtype in which sums of elements of a dtype are accumulated.
inline DType sum_type(DType dtype) {
  if (is_float(dtype)) return dtype == DType::f64 ? DType::f64 : DType::f32;
  return dtype == DType::u8 ? DType::u32 : dtype == DType::i16 ? DType::i32 : dtype;
}

}  // namespace kernelgen
