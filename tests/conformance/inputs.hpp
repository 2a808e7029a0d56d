#pragma once
#include <cstdint>
#include <span>

#include "kernelgen/dtype.hpp"
#include "reference/element.hpp"

/// Element values to test with. All are the same for the same seed.
namespace kernelgen::conformance {

using reference::Elements;
using reference::Real;

inline constexpr DType all_dtypes[] = {DType::u8,   DType::u32, DType::i16, DType::i32, DType::i64,
                                       DType::bf16, DType::f16, DType::f32, DType::f64, DType::f8e4m3};
inline constexpr DType float_dtypes[] = {DType::bf16, DType::f16, DType::f32, DType::f64, DType::f8e4m3};
inline constexpr DType integer_dtypes[] = {DType::u8, DType::u32, DType::i16, DType::i32, DType::i64};

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
