#pragma once
#include "engines/position.hpp"

namespace kg::detail {

/// One operand of a product: rows of terms. The rows of the right operand are its columns.
template <class T>
struct Matrix {
  const T* data;
  u64 rows, terms;
  i64 row_stride, term_stride;
};

template <class T>
struct MatrixPair {
  Matrix<T> a, b;

  /// Both operands at element `index` of the batch, whose other tensors do not matter.
  template <int N>
  KG_DEVICE MatrixPair slice(const Strided<N>& batch, u32 index) const {
    MatrixPair pair = *this;
    const Position<N> at = locate(batch, index);
    pair.a.data += at.offset[0];
    pair.b.data += at.offset[1];
    return pair;
  }
};

}  // namespace kg::detail
