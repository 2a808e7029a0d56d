#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>

#include "common/quotient.hpp"

namespace kernelgen {

/// What a block for that many bytes has, so that requests of nearly one size share it: eight classes an octave, which leave
/// at most an eighth of a block unused, in multiples of `least`, a power of two.
inline std::size_t size_class(std::size_t bytes, std::size_t least) {
  const std::size_t step = std::max(std::bit_floor(bytes) / 8, least);
  return quotient_up(bytes, step) * step;
}

}  // namespace kernelgen
