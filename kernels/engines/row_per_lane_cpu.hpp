#pragma once
/// Short rows on CPUs, one row per SIMD lane.
#include "engines/copy_span.hpp"
#include "engines/row_source.hpp"
#include "engines/simd_cpu.hpp"
#include "engines/store_row_cpu.hpp"

namespace kg::detail {

/// Maximum elements of such a row: L1 holds the rows of all lanes twice, as in memory and transposed.
inline constexpr u32 max_row_per_lane = 128;

template <class F, u32 lanes>
struct UnalignedVector {
  typedef F type __attribute__((ext_vector_type(lanes), aligned(sizeof(F))));
};

template <class Vector, int... K>
KG_DEVICE auto joined(Vector a, Vector b, Indices<K...>) {
  return __builtin_shufflevector(a, b, K...);
}
template <u32 from, class Vector, int... K>
KG_DEVICE auto half_of(Vector x, Indices<K...>) {
  return __builtin_shufflevector(x, x, (from + K)...);
}

/// A vector loaded as spans of `run` contiguous elements that begin `apart` elements from each other.
template <u32 run, u32 lanes, class F>
KG_DEVICE typename UnalignedVector<F, lanes>::type load_strided(const F* p, u32 apart) {
  if constexpr (run == lanes)
    return *reinterpret_cast<const typename UnalignedVector<F, lanes>::type*>(p);
  else
    return joined(load_strided<run, lanes / 2>(p, apart),
                  load_strided<run, lanes / 2>(p + lanes / 2 / run * apart, apart),
                  typename MakeIndices<lanes>::type{});
}
template <u32 run, u32 lanes, class F>
KG_DEVICE void store_strided(typename UnalignedVector<F, lanes>::type x, F* p, u32 apart) {
  if constexpr (run == lanes) {
    *reinterpret_cast<typename UnalignedVector<F, lanes>::type*>(p) = x;
  } else {
    constexpr u32 half = lanes / 2;
    store_strided<run, half>(half_of<0>(x, typename MakeIndices<half>::type{}), p, apart);
    store_strided<run, half>(half_of<half>(x, typename MakeIndices<half>::type{}), p + half / run * apart,
                             apart);
  }
}

/// As many adjacent rows of n elements as a vector has lanes, or fewer: read() transposes them, so that a vector has element i of
/// each row. Reductions use four interleaved partial sums.
template <class Source>
class RowPerLane {
 public:
  static constexpr bool is_multi_pass = false;
  using F = typename Source::Value;
  using T = typename Source::Element;
  using V = Simd<F>;
  static constexpr u32 lanes = V::lanes;

  KG_DEVICE RowPerLane(u32 n, const SpanStores& stores) : n_(n), stores_(stores) {
    // Initializes the lanes of missing rows.
    for_each_lane<widest>(0, (n + 1) * lanes, [&](u64 i) KG_INLINE { line_[i] = 0; });
  }

  /// Reads the next `rows` rows, at most one per lane.
  KG_DEVICE void read(const Source& source, u32 rows) {
    rows_ = rows;
    for_each_lane<widest>(0, rows * n_, [&](u64 i) KG_INLINE { line_[i] = source.at(i); });
    if constexpr (Source::stores_sums)
      store_row(source.sum, rows * n_, stores_, [&](u64 i) KG_INLINE { return convert<T>(line_[i]); });
    for_each_square([&](auto side, u32 i) KG_INLINE {
      Vector square[side];
      KG_UNROLL for (u32 k = 0; k < side; ++k) square[k] = load_strided<side, lanes>(address(side, k, i), n_);
      transpose(square);
      KG_UNROLL for (u32 k = 0; k < side; ++k) value_[i + k] = square[k];
    });
  }

  /// The lane that holds a row.
  KG_DEVICE u32 lane_of(u32 row) const {
    const u32 squares = lanes / side();
    return row % squares * side() + row / squares;
  }

  template <class R, class Map = Unchanged>
  KG_DEVICE V reduce(Map map = {}) const {
    constexpr u32 sums = 4;
    V total[sums];
    KG_UNROLL for (u32 k = 0; k < sums; ++k) total[k] = R::identity();
    const auto add = [&](u32 k, u32 i) KG_INLINE {
      total[k] = R::combine(total[k], map(V(value_[i])).each([](F v) KG_INLINE { return R::of(v, 0); }));
    };
    u32 i = 0;
    for (; i + sums <= n_; i += sums) {
      KG_UNROLL for (u32 k = 0; k < sums; ++k) add(k, i + k);
    }
    KG_NO_UNROLL for (; i < n_; ++i) add(0, i);
    return R::combine(R::combine(total[0], total[1]), R::combine(total[2], total[3]));
  }

  template <class Op>
  KG_DEVICE RowPerLane& map(Op op) {
    KG_NO_UNROLL for (u32 i = 0; i < n_; ++i) value_[i] = op(V(value_[i])).value;
    return *this;
  }

  /// The operands belong to one row and are shared by all rows.
  template <class Op, class... Operand>
  KG_DEVICE void store(T* y, Op op, const Operand*... operands) {
    map_with(op, operands...);
    for_each_square([&](auto side, u32 i) KG_INLINE {
      Vector square[side];
      KG_UNROLL for (u32 k = 0; k < side; ++k) square[k] = value_[i + k];
      transpose(square);
      KG_UNROLL for (u32 k = 0; k < side; ++k) store_strided<side, lanes>(square[k], address(side, k, i), n_);
    });
    store_row(y, rows_ * n_, stores_, [&](u64 i) KG_INLINE { return convert<T>(line_[i]); });
  }

 private:
  using Vector = typename V::Vector;
  static constexpr int widest = vector_lanes<T>();

  /// Calls f(side, first element) for the squares in which rows are transposed, last square first: a store overruns into the
  /// next row, which is stored later. Rows of up to 4 or 8 elements have squares of that side, of which a vector holds several
  /// side by side.
  template <class Op>
  KG_DEVICE void for_each_square(Op f) const {
    if constexpr (lanes > 4) {
      if (side() == 4) return f(Side<4>{}, 0);
    }
    if constexpr (lanes > 8) {
      if (side() == 8) return f(Side<8>{}, 0);
    }
    KG_NO_UNROLL for (u32 i = (n_ + lanes - 1) / lanes * lanes; i > 0; i -= lanes)
        f(Side<lanes>{}, i - lanes);
  }
  /// Side of a square.
  KG_DEVICE u32 side() const {
    const u32 least = n_ <= 4 ? 4 : n_ <= 8 ? 8 : lanes;
    return least < lanes ? least : lanes;
  }
  template <u32 Value>
  struct Side {
    constexpr operator u32() const { return Value; }
  };
  /// Address of element i for the rows in vector k of a square.
  KG_DEVICE F* address(u32 side, u32 k, u32 i) { return line_ + k * (lanes / side) * n_ + i; }

  template <class Op, class... Operand>
  KG_DEVICE void map_with(Op op, const Operand*... operands) {
    KG_NO_UNROLL for (u32 i = 0; i < n_; ++i) value_[i] =
        V(op(V(value_[i]), V(static_cast<F>(widen(operands[i])))...)).value;
  }

  u32 n_, rows_ = 0;
  const SpanStores& stores_;
  Vector value_[max_row_per_lane];  ///< [n, lanes]
  /// [lanes, n], as in memory, and a vector that the last access may overrun into.
  alignas(64) F line_[(max_row_per_lane + 1) * lanes];
};

/// Calls body(RowPerLane, index of the first row, number of rows) for all of this block's rows. Returns false and does nothing if
/// rows are empty or longer than max_row_per_lane.
template <class Source, class Body>
KG_DEVICE bool for_each_row_per_lane(const Source& source, u64 rows, u64 n, const SpanStores& stores,
                                     Body body) {
  if (n - 1 >= max_row_per_lane) return false;
  const Share part = share(rows);
  RowPerLane<Source> some(static_cast<u32>(n), stores);
  for (u64 first = part.first; first < part.last; first += some.lanes) {
    const u64 left = part.last - first;
    const u32 count = static_cast<u32>(left < some.lanes ? left : some.lanes);
    some.read(source.from(first * n), count);
    body(some, first, count);
  }
  return true;
}

/// map_rows() by for_each_row_per_lane(); the operands are one row for all.
template <class Source, class T, class Body, class... Operand>
KG_DEVICE bool map_row_per_lane(const Source& source, T* y, u64 rows, u64 n, const SpanStores& stores,
                                Body body, const Operand*... operands) {
  return for_each_row_per_lane(source, rows, n, stores, [&](auto& some, u64 first, u32) KG_INLINE {
    body(some, y + first * n, operands...);
  });
}

}  // namespace kg::detail
