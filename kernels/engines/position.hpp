#pragma once
/// Positions of elements in strided operands.
#include "device/dialect.hpp"
#include "plan/abi.hpp"

namespace kg {

/// Offsets of one element in each operand, and its coordinate in the innermost dim.
template <int N>
struct Position {
  i64 offset[N];
  u32 column;
};

KG_DEVICE u32 divide(u32 n, Divisor d) { return (native::multiply_high(n, d.magic) + n) >> d.shift; }

/// The position of the element with flat index `index`. The loop is not unrolled: the values of all dims
/// would occupy more scalar registers than there are.
template <int N>
KG_DEVICE Position<N> locate(const Strided<N>& layout, u32 index) {
  Position<N> p{};
  KG_NO_UNROLL for (u32 d = 0; d < layout.rank; ++d) {
    const u32 quotient = divide(index, layout.dim[d]);
    const u32 coordinate = index - quotient * layout.dim[d].extent;
    if (d == 0) p.column = coordinate;
    KG_UNROLL for (int k = 0; k < N; ++k) p.offset[k] += static_cast<i64>(coordinate) * layout.stride[k][d];
    index = quotient;
  }
  return p;
}

}  // namespace kg
