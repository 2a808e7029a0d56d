#pragma once
#include <cstdint>

#include "plan/abi.hpp"

namespace kernelgen {

/// Numbers that kg::Divisor divides are at most this.
inline constexpr std::int64_t divisor_limit = (std::int64_t{1} << 31) - 1;

/// `extent` is in [1, divisor_limit].
inline kg::Divisor divisor(unsigned extent) {
  unsigned shift = 0;
  while ((std::uint64_t{1} << shift) < extent) ++shift;
  const std::uint64_t magic =
      ((std::uint64_t{1} << 32) * ((std::uint64_t{1} << shift) - extent)) / extent + 1;
  return {extent, static_cast<unsigned>(magic), shift};
}

}  // namespace kernelgen
