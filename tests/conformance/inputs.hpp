#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kernelgen/dtype.hpp"
#include "reference/element.hpp"

/// Element values to test with. All are the same for the same seed.
namespace kernelgen::conformance {

using reference::Elements;
using reference::Real;

/// The plain dtypes.
inline constexpr auto all_dtypes = [] {
  std::array<DType, plain_dtype_count> dtypes{};
  auto next = dtypes.begin();
  for (std::size_t i = 0; i < dtype_count; ++i)
    if (const auto dtype = static_cast<DType>(i); !is_quantized(dtype)) *next++ = dtype;
  return dtypes;
}();
inline constexpr std::size_t float_count = std::ranges::count_if(all_dtypes, is_float);
inline constexpr auto float_dtypes = [] {
  std::array<DType, float_count> dtypes{};
  std::ranges::copy_if(all_dtypes, dtypes.begin(), is_float);
  return dtypes;
}();
inline constexpr auto integer_dtypes = [] {
  std::array<DType, plain_dtype_count - float_count> dtypes{};
  std::ranges::remove_copy_if(all_dtypes, dtypes.begin(), is_float);
  return dtypes;
}();

/// A well-mixed function of the seed and `stream`.
std::uint64_t random_bits(std::uint64_t stream);

/// Zeros, infinities, NaN, subnormals, the extremes and a few plain numbers.
const Elements& specials(DType dtype);

/// What the walk draws from. One- and two-byte dtypes: every bit pattern, shuffled. Others: the specials,
/// then values from several ranges and random bit patterns, shuffled.
const Elements& pool(DType dtype);

/// Elements of `from` around every point where casting to `to` changes its mind: the representable values and
/// the midpoints between them (a sample of both for f32 and f64), the ends of an integer's range; each with
/// its two neighbours.
Elements rounding_boundaries(DType from, DType to);

/// `count` random bit patterns.
Elements random_patterns(DType dtype, std::int64_t count, std::uint64_t stream);

/// `count` elements: the pool over and over, starting at element `shift` of it.
Elements repeat(const Elements& pool, std::int64_t shift, std::int64_t count);

}  // namespace kernelgen::conformance
