#pragma once
/// Several elements moved by one instruction.
#include "abi.hpp"
#include "device/dialect.hpp"

namespace kg {

/// W neighbouring elements. Up to 16 bytes are one access; more are several of 16.
template <class T, int W>
struct alignas(sizeof(T) * W < 16 ? sizeof(T) * W : 16) Pack {
  T at[W];
};

namespace detail {
/// The unit one instruction moves for packs of that many bytes.
template <int Bytes>
struct Unit {
  using type = Quad;
};
template <>
struct Unit<1> {
  using type = u8;
};
template <>
struct Unit<2> {
  using type = u16;
};
template <>
struct Unit<4> {
  using type = u32;
};
template <>
struct Unit<8> {
  using type = u64;
};
template <class U, int N>
struct Units {
  U at[N];
};
}  // namespace detail

/// `p` is aligned like the pack.
template <int W, class T>
KG_DEVICE Pack<T, W> load_pack(const T* p) {
  using Unit = typename detail::Unit<sizeof(T) * W>::type;
  constexpr int count = sizeof(T) * W / sizeof(Unit);
  detail::Units<Unit, count> units;
  KG_UNROLL for (int i = 0; i < count; ++i) units.at[i] = reinterpret_cast<const Unit*>(p)[i];
  return bit_cast<Pack<T, W>>(units);
}

template <int W, class T>
KG_DEVICE void store_pack(T* p, Pack<T, W> pack) {
  using Unit = typename detail::Unit<sizeof(T) * W>::type;
  constexpr int count = sizeof(T) * W / sizeof(Unit);
  const auto units = bit_cast<detail::Units<Unit, count>>(pack);
  KG_UNROLL for (int i = 0; i < count; ++i) reinterpret_cast<Unit*>(p)[i] = units.at[i];
}

template <int W, class T>
KG_DEVICE bool is_aligned(const T* p) {
  return (reinterpret_cast<u64>(p) & (alignof(Pack<T, W>) - 1)) == 0;
}

/// Elements a thread takes at once for operands of these types.
template <class... T>
KG_DEVICE constexpr int pack_width() {
  constexpr int sizes[] = {static_cast<int>(sizeof(T))...};
  return pack_elements(sizes, sizeof...(T));
}

}  // namespace kg
