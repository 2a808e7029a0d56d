#pragma once
#include "engines/copy_small_cpu.hpp"
#include "plan/abi.hpp"

namespace kg::detail {

/// Gathers `count` rows of Length elements into contiguous memory. Elements are `step` apart, rows `pitch`
/// apart.
template <u32 Length, class T>
KG_DEVICE void order_rows_of(const T* x, T* to, u64 count, i64 step, i64 pitch) {
  if (step == 1) {
#pragma clang loop vectorize(disable)
    for (u64 r = 0; r < count; ++r, x += pitch, to += Length) __builtin_memcpy(to, x, Length * sizeof(T));
  } else {
#pragma clang loop vectorize(disable)
    for (u64 r = 0; r < count; ++r, x += pitch, to += Length) {
      KG_UNROLL for (u32 i = 0; i < Length; ++i) to[i] = x[static_cast<i64>(i) * step];
    }
  }
}

template <class T>
KG_DEVICE void order_rows(const T* x, T* to, u64 count, u64 length, i64 step, i64 pitch) {
  if (length == 1) return order_rows_of<1>(x, to, count, step, pitch);
  if (length == 2) return order_rows_of<2>(x, to, count, step, pitch);
  if (length == 3) return order_rows_of<3>(x, to, count, step, pitch);
  if (length == 4) return order_rows_of<4>(x, to, count, step, pitch);
  for (u64 r = 0; r < count; ++r, x += pitch, to += length) {
    const T first = *x;
    if (step == 1)
      copy_few(x, to, length);
    else if (step == 0)
      for (u64 i = 0; i < length; ++i) to[i] = first;
    else
      for (u64 i = 0; i < length; ++i) to[i] = x[static_cast<i64>(i) * step];
  }
}

/// A strided operand's elements in the order of the result, a chunk at a time, gathered into a buffer in L1: one
/// loop over vectors then processes short rows together, and elements that are apart from each other.
template <class T>
struct InOrder {
  static constexpr u32 most = 1024;  ///< maximum elements per chunk

  /// Starts at element `first` of the result.
  template <int N>
  KG_DEVICE InOrder(const T* x, const Strided<N>& layout, int operand, u64 first) : at(x) {
    for (u32 d = 0; d < layout.rank; ++d) {
      const u64 count = layout.dim[d].extent;
      const i64 step = layout.stride[operand][d];
      if (rank > 0 && (count == 1 || step == stride[rank - 1] * static_cast<i64>(extent[rank - 1]))) {
        extent[rank - 1] *= count;
        continue;
      }
      extent[rank] = count;
      stride[rank++] = step;
    }
    for (u32 d = 0; d < rank; ++d) {
      position[d] = first % extent[d];
      first /= extent[d];
      at += static_cast<i64>(position[d]) * stride[d];
    }
  }

  /// The next `count` ≤ most elements; returns the operand's own memory if it is contiguous.
  KG_DEVICE const T* next(u64 count) {
    if (rank == 1 && stride[0] == 1) {
      at += count;
      return at - count;
    }
    // A row that repeats (stride 0) is copied to the buffer only once.
    const bool repeats = rank == 2 && stride[1] == 0 && position[0] == 0 && count % extent[0] == 0;
    if (repeats && count <= held) return buffer;
    held = repeats ? count : 0;
    copy(buffer, count);
    return buffer;
  }

  /// Copies the next `count` elements. Not inlined: a module has many operations, and loops over rows are
  /// large.
  __attribute__((noinline)) void copy(T* to, u64 count) {
    for (u64 done = 0; done < count;) done += copy_some(to + done, count - done);
  }

 private:
  /// Copies whole rows of a plane if possible, otherwise part of one. Returns the number of elements.
  KG_DEVICE u64 copy_some(T* to, u64 count) {
    const u64 length = extent[0];
    if (rank > 1 && position[0] == 0 && count >= length) {
      const u64 left = extent[1] - position[1], rows = count / length < left ? count / length : left;
      order_rows(at, to, rows, length, stride[0], stride[1]);
      advance(1, rows);
      return rows * length;
    }
    const u64 left = length - position[0], some = count < left ? count : left;
    for (u64 i = 0; i < some; ++i) to[i] = at[static_cast<i64>(i) * stride[0]];
    advance(0, some);
    return some;
  }

  /// Advances by `count` along dim d, at most to its end.
  KG_DEVICE void advance(u32 d, u64 count) {
    position[d] += count;
    at += static_cast<i64>(count) * stride[d];
    for (; position[d] == extent[d] && d + 1 < rank; ++d) {
      at += stride[d + 1] - static_cast<i64>(extent[d]) * stride[d];
      position[d] = 0;
      ++position[d + 1];
    }
  }

  const T* at;
  u32 rank = 0;
  u64 held = 0;  ///< elements of a repeating row in the buffer
  u64 extent[max_rank], position[max_rank];
  i64 stride[max_rank];
  alignas(64) T buffer[most];
};

}  // namespace kg::detail
