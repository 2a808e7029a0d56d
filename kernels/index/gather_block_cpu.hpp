#pragma once
#include "device/prefetch.hpp"
#include "engines/index_check.hpp"
#include "engines/view_rows_cpu.hpp"

namespace kg::detail {

/// Consecutive elements of a result: part of a row, or several short rows. All such blocks have the same
/// offsets, which are computed once.
struct GatherBlock {
  /// Minimum elements for a separate loop; maximum elements of a block.
  static constexpr u32 few = 64, most = 128;

  u32 dim = 0;    ///< the dim along which blocks are consecutive
  u32 inner = 1;  ///< elements of the dims inside `dim`
  u32 count;
  bool is_in_order = true;  ///< whether indices are contiguous
  /// Offsets of each element's row of x and of its index, relative to the block's first
  i64 x[most], id[most];

  __attribute__((noinline)) explicit GatherBlock(const Strided<2>& layout) noexcept {
    for (; dim + 1 < layout.rank && u64{inner} * layout.dim[dim].extent < few; ++dim)
      inner *= layout.dim[dim].extent;
    const u32 positions = most / inner, extent = layout.dim[dim].extent;
    count = inner * (positions < extent ? positions : extent);
    for_each_row(layout, 0, count, [&](u64 first, u64 row, const Position<2>& at) KG_INLINE {
      for (u64 i = 0; i < row; ++i) {
        x[first + i] = at.offset[0] + static_cast<i64>(i) * layout.stride[0][0];
        id[first + i] = at.offset[1] + static_cast<i64>(i) * layout.stride[1][0];
        is_in_order &= id[first + i] == static_cast<i64>(first + i);
      }
    });
  }

  /// The layout of the blocks: each of its elements represents `inner` elements.
  KG_DEVICE Strided<2> outer(const Strided<2>& layout) const {
    Strided<2> dims = layout;
    dims.rank -= dim;
    dims.elements /= inner;
    for (u32 d = 0; d < dims.rank; ++d) {
      dims.dim[d] = layout.dim[d + dim];
      for (u32 k = 0; k < 2; ++k) dims.stride[k][d] = layout.stride[k][d + dim];
    }
    return dims;
  }

  /// Stores the offsets in x of the first n elements. Returns false if an index is not valid.
  template <class Id>
  __attribute__((noinline)) bool find(const Id* ids, u64 n, i64 step, const IndexCheck& given,
                                      i64* source) const noexcept {
    const IndexCheck check = given;  // a local copy stays in registers, since stores cannot alias it
    u32 others = 0;
    const auto add = [&](u64 k, Id index) KG_INLINE {
      others |= !check.is_index(index);
      source[k] = x[k] + static_cast<i64>(index) * step;
    };
    if (is_in_order) {
      prefetch_next_page(ids, n);
      for (u64 k = 0; k < n; ++k) add(k, ids[k]);
    } else {
#pragma clang loop vectorize(disable)
      for (u64 k = 0; k < n; ++k) add(k, ids[id[k]]);
    }
    return others == 0;
  }
};

}  // namespace kg::detail
