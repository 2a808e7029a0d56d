#pragma once
/// Elements that tests of engines draw, by type.
#include <iterator>
#include <random>
#include <string>

#include "device/convert.hpp"

namespace simulated {

enum class Elements { small_integers, normal, special };

template <class T>
struct Named;
template <>
struct Named<f16> {
  static constexpr const char* name = "f16";
  /// Subnormals, the least and the greatest element in range, elements out of range, infinities and NaN.
  static constexpr u16 special[] = {0x0001, 0x03ff, 0x8001, 0x0400, 0x3c00,
                                    0xbc00, 0x53ff, 0xd400, 0x7bff, 0x0000};
  static constexpr u16 infinity = 0x7c00, nan = 0x7e01;
};
template <>
struct Named<bf16> {
  static constexpr const char* name = "bf16";
  static constexpr u16 special[] = {0x0001, 0x007f, 0x8001, 0x2380, 0x237f,
                                    0x3f80, 0xbf80, 0x5880, 0x8000, 0x0000};
  static constexpr u16 infinity = 0x7f80, nan = 0x7fc1;
};
template <>
struct Named<f8e4m3> {
  static constexpr const char* name = "f8e4m3";
};
template <>
struct Named<f32> {
  static constexpr const char* name = "f32";
};
template <>
struct Named<f64> {
  static constexpr const char* name = "f64";
};

/// For typed suites.
struct TypeNames {
  template <class T>
  static std::string GetName(int) {
    return Named<T>::name;
  }
};

/// Special ones are of 16 bits; a few are infinite or no numbers where there are many.
template <class T>
T draw(Elements elements, std::mt19937& random) {
  using Wide = widened<T>;
  if (elements == Elements::small_integers)
    return convert<T>(static_cast<Wide>(static_cast<int>(random() % 9) - 4));
  if (elements == Elements::normal) return convert<T>(std::normal_distribution<Wide>()(random));
  if constexpr (sizeof(T) == 2) {
    if (random() % 512 == 0) return {random() % 2 == 0 ? Named<T>::infinity : Named<T>::nan};
    return {Named<T>::special[random() % std::size(Named<T>::special)]};
  }
  return {};
}

}  // namespace simulated
