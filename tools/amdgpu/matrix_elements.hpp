#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "lane_memory.hpp"
#include "small_floats.hpp"

// What v_mfma_ and v_smfmac_ share: elements of A and B, and where C and D have theirs.
namespace kernelgen::amdgpu {

enum class Element : std::uint8_t { f32, xf32, f16, bf16, i8, fp8, bf8, f64 };

constexpr unsigned bits_of(Element e) {
  switch (e) {
    case Element::f64:
      return 64;
    case Element::f32:
    case Element::xf32:
      return 32;
    case Element::f16:
    case Element::bf16:
      return 16;
    default:
      return 8;
  }
}

inline bool flushes(const Wave& wave, Element type) {
  return wave.isa().major == 9 && wave.isa().minor == 0 && bits_of(type) == 16;
}
inline float flushed(float x, float least_normal) { return std::fabs(x) < least_normal ? 0 * x : x; }

/// What the bits of an element mean. `field` is its word, shifted to it; an f64 has a second one.
template <Element E, class T>
T number_of(std::uint32_t field, [[maybe_unused]] std::uint32_t high, [[maybe_unused]] const Isa& isa) {
  if constexpr (E == Element::f64) return std::bit_cast<double>(field | std::uint64_t{high} << 32);
  if constexpr (E == Element::f32) return std::bit_cast<float>(field);
  if constexpr (E == Element::xf32) return std::bit_cast<float>(field & 0xffffe000);  // 10 bits of fraction
  if constexpr (E == Element::f16)
    return static_cast<float>(std::bit_cast<Half>(static_cast<std::uint16_t>(field)));
  if constexpr (E == Element::bf16) return of_bf16(static_cast<std::uint16_t>(field));
  if constexpr (E == Element::i8) return static_cast<std::int8_t>(field);
  if constexpr (E == Element::fp8) return of_float8(field, fp8_format(isa, false));
  if constexpr (E == Element::bf8) return of_float8(field, fp8_format(isa, true));
}

/// Element `e` of the registers from `index` on, in `Size` lanes from `first` on.
template <Element E, unsigned Size, class T>
void read_lanes(Wave& wave, unsigned index, unsigned first, unsigned e, T sign, T* to) {
  constexpr unsigned bits = bits_of(E);
  const std::uint32_t* const low = wave.vgpr(index + bits * e / 32) + first;
  const std::uint32_t* const high = bits == 64 ? wave.vgpr(index + 2 * e + 1) + first : low;
  for (unsigned i = 0; i < Size; ++i)
    to[i] = sign * number_of<E, T>(low[i] >> (bits * e % 32), high[i], wave.isa());
  if (flushes(wave, E))
    for (unsigned i = 0; i < Size; ++i)
      to[i] = static_cast<T>(flushed(static_cast<float>(to[i]), E == Element::f16 ? 0x1p-14f : 0x1p-126f));
}

template <class T>
T multiply_add(T a, T b, T c) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b) +
                          static_cast<std::uint32_t>(c));
  else
    return std::fma(a, b, c);
}

/// Where D and C have the first column of a row; the others are in the lanes after it.
struct RowPosition {
  unsigned lane, reg;
};
template <unsigned Size>
RowPosition row_position(unsigned row, unsigned block, bool is_f64) {
  if (is_f64)  // rows go over the lanes first
    return Size == 16 ? RowPosition{16 * (row % 4), row / 4} : RowPosition{4 * block + 16 * row, 0};
  if (Size == 32) return {32 * (row / 4 % 2), 16 * block + row / 8 * 4 + row % 4};
  if (Size == 16) return {16 * (row / 4), 4 * block + row % 4};
  return {4 * block, row};
}

}  // namespace kernelgen::amdgpu
