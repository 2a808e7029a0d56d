#pragma once
/// Where the results of a product go: to contiguous memory, as they are or as an epilogue maps them. Kernels take either a
/// pointer or MappedResults, so that an epilogue costs nothing where there is none.
#include "device/convert.hpp"
#include "engines/position.hpp"

namespace kg {

/// Tensors that an epilogue reads, broadcast to the results: an element of each for a result, at strides of rows and columns.
template <class... X>
struct ResultOperands;

template <>
struct ResultOperands<> {
  KG_DEVICE void advance(u64, u64) {}
  template <class At>
  KG_DEVICE void advance_slice(const At&, int) {}
  template <class F>
  KG_DEVICE void for_each_pointer(const F&) {}
  template <class Op, class... Value>
  KG_DEVICE auto apply(const Op& op, i64, Value... value) const {
    return op(value...);
  }
};

template <class X, class... Rest>
struct ResultOperands<X, Rest...> {
  const X* x;
  i64 row_stride, column_stride;
  ResultOperands<Rest...> rest;

  KG_DEVICE void advance(u64 row, u64 column) {
    x += static_cast<i64>(row) * row_stride + static_cast<i64>(column) * column_stride;
    rest.advance(row, column);
  }
  /// By the offsets of a slice, of which number `first` is this operand's.
  template <class At>
  KG_DEVICE void advance_slice(const At& at, int first) {
    x += at.offset[first];
    rest.advance_slice(at, first + 1);
  }
  template <class F>
  KG_DEVICE void for_each_pointer(const F& f) {
    f(x);
    rest.for_each_pointer(f);
  }
  /// op of the values and of the operands' elements, `column` columns on.
  template <class Op, class... Value>
  KG_DEVICE auto apply(const Op& op, i64 column, Value... value) const {
    return rest.apply(op, column, value..., widen(x[column * column_stride]));
  }
};

/// Results op(sum, elements of the operands…), computed in the type of the sums.
template <class Op, class Y, class... X>
struct MappedResults {
  Op op;
  Y* y;
  ResultOperands<X...> operands;
};

namespace detail {

/// The type of a result.
template <class Out>
struct ResultType;
template <class Y>
struct ResultType<Y*> {
  using type = Y;
};
template <class Op, class Y, class... X>
struct ResultType<MappedResults<Op, Y, X...>> {
  using type = Y;
};

/// Results of a slice, each of `elements`.
template <class Y, int N>
KG_DEVICE Y* slice_of(Y* y, u32 slice, u64 elements, const Strided<N>&) {
  return y + slice * elements;
}
template <class Op, class Y, class... X, int N>
KG_DEVICE MappedResults<Op, Y, X...> slice_of(MappedResults<Op, Y, X...> to, u32 slice, u64 elements,
                                              const Strided<N>& batch) {
  to.y += slice * elements;
  to.operands.advance_slice(locate(batch, slice), 2);
  return to;
}

/// Results from (row, column) of a slice on.
template <class Y>
KG_DEVICE Y* results_at(Y* y, u64 row, u64 column, u64 columns) {
  return y + (row * columns + column);
}
template <class Op, class Y, class... X>
KG_DEVICE MappedResults<Op, Y, X...> results_at(MappedResults<Op, Y, X...> to, u64 row, u64 column,
                                                u64 columns) {
  to.y += row * columns + column;
  to.operands.advance(row, column);
  return to;
}

/// The address of the first result.
template <class Y>
KG_DEVICE Y* address_of(Y* y) {
  return y;
}
template <class Op, class Y, class... X>
KG_DEVICE Y* address_of(const MappedResults<Op, Y, X...>& to) {
  return to.y;
}

/// The result of a sum, `column` columns after the first.
template <class Y, class F>
KG_DEVICE Y result_of(const Y*, i64, F sum) {
  return convert<Y>(sum);
}
template <class Op, class Y, class... X, class F>
KG_DEVICE Y result_of(const MappedResults<Op, Y, X...>& to, i64 column, F sum) {
  return convert<Y>(to.operands.apply(to.op, column, sum));
}

/// Stores result `at` of a slice of `size` results, in rows of `columns`.
template <class Y, int N, class F>
KG_DEVICE void put_in_slice(Y* y, u32 slice, u64 size, u64 at, u64, const Strided<N>&, F sum) {
  y[slice * size + at] = convert<Y>(sum);
}
template <class Op, class Y, class... X, int N, class F>
KG_DEVICE void put_in_slice(const MappedResults<Op, Y, X...>& to, u32 slice, u64 size, u64 at, u64 columns,
                            const Strided<N>& batch, F sum) {
  const auto result = results_at(slice_of(to, slice, size, batch), at / columns, at % columns, columns);
  *result.y = result_of(result, 0, sum);
}

/// put_in_slice for result `index` of all slices.
template <class Y, int N, class F>
KG_DEVICE void put_result(Y* y, u64 index, u64, u64, const Strided<N>&, F sum) {
  y[index] = convert<Y>(sum);
}
template <class Op, class Y, class... X, int N, class F>
KG_DEVICE void put_result(const MappedResults<Op, Y, X...>& to, u64 index, u64 size, u64 columns,
                          const Strided<N>& batch, F sum) {
  put_in_slice(to, static_cast<u32>(index / size), size, index % size, columns, batch, sum);
}

}  // namespace detail

}  // namespace kg
