#pragma once
#include "engines/matrix_pair.hpp"

namespace kg::detail {

/// A matrix and a vector, whose elements may be of another dtype and are rounded to T.
template <class T, class X>
struct MatrixVector {
  struct Vector {
    const X* data;
    i64 term_stride;

    KG_DEVICE widened<T> operator[](u64 term) const {
      return round(data[static_cast<i64>(term) * term_stride]);
    }
  };

  Matrix<T> a;
  Vector b;

  /// Both operands at element `index` of the batch, whose other tensors do not matter.
  template <int N>
  KG_DEVICE MatrixVector slice(const Strided<N>& batch, u32 index) const {
    MatrixVector pair = *this;
    const Position<N> at = locate(batch, index);
    pair.a.data += at.offset[0];
    pair.b.data += at.offset[1];
    return pair;
  }

  static KG_DEVICE widened<T> round(X x) {
    if constexpr (same<T, X>)
      return widen(x);
    else
      return widen(convert<T>(x));
  }
};

}  // namespace kg::detail
