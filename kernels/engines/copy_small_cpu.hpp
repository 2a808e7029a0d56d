#pragma once
#include "device/dialect.hpp"

namespace kg::detail {

struct FourWords {
  u64 word[4];
};

/// Copies n elements between buffers that do not overlap. For few elements, a call of memcpy takes longer
/// than the copy.
template <class T>
KG_DEVICE void copy_few(const T* x, T* y, u64 n) {
  const u64 bytes = n * sizeof(T);
  const char* from = reinterpret_cast<const char*>(x);
  char* to = reinterpret_cast<char*>(y);
  // The last part ends at the last element and may overlap the one before.
  const auto in_parts = [&](auto block) KG_INLINE {
    constexpr u64 part = sizeof(block);
    for (u64 i = 0; i + part < bytes; i += part) __builtin_memcpy(to + i, from + i, part);
    __builtin_memcpy(to + bytes - part, from + bytes - part, part);
  };
  if (bytes > 512)
    __builtin_memcpy(to, from, bytes);
  else if (bytes >= 32)
    in_parts(FourWords{});
  else if (bytes >= 8)
    in_parts(u64{});
  else if (bytes >= 4)
    in_parts(u32{});
  else
    for (u64 i = 0; i < n; ++i) y[i] = x[i];
}

}  // namespace kg::detail
