#pragma once
#include <array>
#include <cstdint>

#include "element.hpp"

namespace kernelgen::reference {

/// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw, SC 2011): 128 bits from a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// Which numbers of a device: those of call number `call` after set_seed(seed).
struct Draw {
  std::uint64_t seed;
  std::uint64_t call;
};

/// Element `index` of rand_uniform before it is rounded to the dtype: low + u · (high - low). The counter is
/// (index / lanes, call), the key the seed. f64: two elements a counter, u its 53 high bits of two words;
/// others: four, u the 24 high bits of a word.
Real uniform(DType dtype, Draw draw, std::int64_t index, Real low, Real high);

/// Element `index` of rand_normal before it is rounded: neighbouring elements are mean + std · r · cos(2πt)
/// and mean + std · r · sin(2πt), r = √(-2 ln(u + ε)), from one u and the t after it; ε is u's unit.
Real normal(DType dtype, Draw draw, std::int64_t index, Real mean, Real deviation);

}  // namespace kernelgen::reference
