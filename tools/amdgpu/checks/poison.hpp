#pragma once
#include <cstdint>

// What stands for values that nothing wrote: NaN in every float format, negative as an integer, no address; in the twin of
// a wave 0 or a positive number, finite as a float.
namespace kernelgen::amdgpu {

inline constexpr std::uint32_t poison = 0xfff5fff5;

inline std::uint32_t twin_poison(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15 + index + 1;  // splitmix64
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
  x = (x ^ x >> 27) * 0x94d049bb133111eb;
  x ^= x >> 31;
  return (x >> 40 & 1) != 0 ? 0 : 0x44004400 | (static_cast<std::uint32_t>(x) & 0x03ff03ff);
}

}  // namespace kernelgen::amdgpu
