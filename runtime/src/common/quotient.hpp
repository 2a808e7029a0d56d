#pragma once
#include <concepts>
#include <type_traits>

namespace kernelgen {

/// a / b, rounded up, for every a that is not negative and every b above 0: nothing overflows on the way.
template <std::integral T>
constexpr T quotient_up(T a, std::type_identity_t<T> b) {
  return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace kernelgen
