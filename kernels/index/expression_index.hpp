#pragma once
/// Gathers, scatters and stencils whose elements a manifest writes as an expression of coordinates.
#include "device/atomic.hpp"
#include "device/convert.hpp"
#include "device/quotient.hpp"
#include "engines/grid_stride.hpp"
#include "engines/index_check.hpp"
#include "reduce/expression_reduction.hpp"

namespace kg {

/// What an expression reads outside of a tensor; `error` reads zero and reports the index, `skip` leaves the value out of the
/// reduction of its window.
enum class Outside { error, zero, edge, wrap, skip };

/// Where indices outside of a tensor are reported; nowhere without a record. `call` says which tensor, in its low bits.
struct IndexReport {
  u64 record, call, operation;

  KG_DEVICE void add(u64 position, i64 index, i64 extent) const {
    if (record == 0) return;
    report(reinterpret_cast<IndexFault*>(record),
           {0, 0, call, position, index, static_cast<u64>(extent), operation});
  }
};

/// Extents or coordinates, the last of which is the innermost.
template <u32 rank>
struct Coordinate {
  i64 at[rank];

  KG_DEVICE u64 size() const {
    u64 product = 1;
    KG_UNROLL for (u32 d = 0; d < rank; ++d) product *= static_cast<u64>(at[d]);
    return product;
  }
};

/// A contiguous tensor that an expression reads by coordinates, widened.
template <class T, u32 rank, Outside outside>
struct Indexed {
  const T* x;
  Coordinate<rank> extent;
  IndexReport outside_report = {0, 0, 0};
  mutable u64 position = 0;       ///< of the element that is computed, for reports
  mutable bool is_inside = true;  ///< all that was read since begin(), for `skip`

  KG_DEVICE void begin(u64 flat) const {
    if constexpr (outside == Outside::error) position = flat;
    if constexpr (outside == Outside::skip) is_inside = true;
  }
  template <class... Index>
  KG_DEVICE widened<T> operator()(Index... given) const {
    static_assert(sizeof...(Index) == rank, "one index a dim");
    const i64 index[] = {static_cast<i64>(given)...};
    i64 offset = 0;
    KG_UNROLL for (u32 d = 0; d < rank; ++d) {
      const i64 n = extent.at[d];
      i64 k = index[d];
      if (outside == Outside::edge) k = k < 0 ? 0 : k >= n ? n - 1 : k;
      if (outside == Outside::wrap && static_cast<u64>(k) >= static_cast<u64>(n) && n > 0) {
        k %= n;
        k = k < 0 ? k + n : k;
      }
      if (static_cast<u64>(k) >= static_cast<u64>(n)) {
        if constexpr (outside == Outside::error) outside_report.add(position, k, n);
        if constexpr (outside == Outside::skip) is_inside = false;
        return widened<T>(0);
      }
      offset = offset * n + k;
    }
    return widen(x[offset]);
  }
};

namespace detail {

/// The coordinates of element `flat`, by division in 32 bits where that suffices: 64 bits take several times as long.
template <u32 rank>
KG_DEVICE Coordinate<rank> coordinates_of(u64 flat, const Coordinate<rank>& extent, bool is_small) {
  Coordinate<rank> found;
  for (u32 d = rank; d-- > 0;) {
    const u64 n = static_cast<u64>(extent.at[d]);
    const u64 quotient = is_small ? static_cast<u32>(flat) / static_cast<u32>(n) : flat / n;
    found.at[d] = static_cast<i64>(flat - quotient * n);
    flat = quotient;
  }
  return found;
}

/// Calls f(flat index, coordinates) for this thread's share of the elements.
template <u32 rank, class F>
KG_DEVICE void for_each_coordinate(const Coordinate<rank>& extent, F f) {
  const u64 n = extent.size();
  const bool is_small = n >> 32 == 0;
  if constexpr (is_gpu) {
    for_each_index(n, [&](u64 flat) KG_INLINE { f(flat, coordinates_of(flat, extent, is_small)); });
  } else {
    // A CPU counts along the innermost dim; it divides once a row.
    const u64 blocks = grid_size(), block = block_index();
    const u64 last = n / blocks * (block + 1) + n % blocks * (block + 1) / blocks;
    for (u64 flat = n / blocks * block + n % blocks * block / blocks; flat < last;) {
      Coordinate<rank> at = coordinates_of(flat, extent, is_small);
      for (; at.at[rank - 1] < extent.at[rank - 1] && flat < last; ++at.at[rank - 1]) f(flat++, at);
    }
  }
}

}  // namespace detail

/// y[i, j] = op(tensors…, i, j), for every element of y.
template <class Op, class Y, u32 rank, class... Tensor>
KG_DEVICE void index_gather(const Op& op, Y* y, const Coordinate<rank>& extent, const Tensor&... tensors) {
  detail::for_each_coordinate(extent, [&](u64 flat, const Coordinate<rank>& at) KG_INLINE {
    (tensors.begin(flat), ...);
    y[flat] = convert<Y>(op(tensors..., at));
  });
}

/// y[i, j] = op.finish(total, count), where total is that of op(tensors…, i, j, k, l) for every coordinate k, l of a window, by
/// op.combine from op.identity on, and count their number. The type of partial results is that of a reduction of such values.
template <class Op, class Y, u32 rank, u32 inner, class... Tensor>
KG_DEVICE void index_window(const Op& op, Y* y, const Coordinate<rank>& extent,
                            const Coordinate<inner>& window, const Tensor&... tensors) {
  const u64 n = window.size();
  detail::for_each_coordinate(extent, [&](u64 flat, const Coordinate<rank>& position) KG_INLINE {
    Coordinate<rank + inner> at{};
    KG_UNROLL for (u32 d = 0; d < rank; ++d) at.at[d] = position.at[d];
    using State = typename detail::ExpressionState<decltype(op(tensors..., at))>::type;
    State total = convert<State>(op.identity(lowest_value<State>(), highest_value<State>()));
    u64 count = 0;
    for (u64 i = 0; i < n; ++i) {
      (tensors.begin(flat), ...);
      const State value = convert<State>(op(tensors..., at));
      if ((tensors.is_inside && ...)) {
        total = convert<State>(op.combine(total, value));
        ++count;
      }
      bool carries = true;
      KG_UNROLL for (u32 d = inner; d-- > 0;) {
        i64& k = at.at[rank + d];
        k += carries ? 1 : 0;
        carries = carries && k == window.at[d];
        if (carries) k = 0;
      }
    }
    y[flat] = convert<Y>(op.finish(total, static_cast<State>(count)));
  });
}

/// Fills y before a scatter, with the elements of `base` where that is not null.
template <class Y>
KG_DEVICE void index_fill(Y* y, const Y* base, i64 n) {
  for_each_index(static_cast<u64>(n), [&](u64 i) KG_INLINE { y[i] = base ? base[i] : convert<Y>(0.0f); });
}

/// y[op.position(…)] = op(…), or += with `adds`, for all coordinates below `extent`. Indices outside of y are reported and left
/// out.
template <bool adds, class Op, class Y, u32 rank, u32 y_rank, class... Tensor>
KG_DEVICE void index_scatter(const Op& op, Y* y, const Coordinate<y_rank>& y_extent,
                             const IndexReport& outside, const Coordinate<rank>& extent,
                             const Tensor&... tensors) {
  detail::for_each_coordinate(extent, [&](u64 flat, const Coordinate<rank>& at) KG_INLINE {
    (tensors.begin(flat), ...);
    const Coordinate<y_rank> position = op.position(tensors..., at);
    u64 offset = 0;
    bool is_inside = true;
    KG_UNROLL for (u32 d = 0; d < y_rank; ++d) {
      if (is_inside && static_cast<u64>(position.at[d]) >= static_cast<u64>(y_extent.at[d])) {
        outside.add(flat, position.at[d], y_extent.at[d]);
        is_inside = false;
      }
      offset = offset * static_cast<u64>(y_extent.at[d]) + static_cast<u64>(position.at[d]);
    }
    if (!is_inside) return;
    const Y value = convert<Y>(op(tensors..., at));
    if constexpr (adds)
      atomic_add(y + offset, value);
    else
      y[offset] = value;
  });
}

}  // namespace kg
