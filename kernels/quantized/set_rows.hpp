#pragma once
/// Rows of f32 stored at indices, converted to plain elements or quantized.
#include "engines/index_check.hpp"
#include "engines/position.hpp"
#include "engines/spans.hpp"
#include "quantized/quantize.hpp"

namespace kg {

/// The rows of a launch: `rows` gives a row's offsets in y, apart from its index, and in ids. The distance
/// between consecutive rows of y is y_row. Offsets in y are in elements or in blocks.
template <class T>
struct RowTargets {
  T* y;
  const b8* ids;
  u32 id_type;
  const Strided<2>& rows;
  u64 first;
  i64 y_row;
  IndexCheck check;

  KG_DEVICE RowTargets(T* y, const b8* ids, u32 id_type, const Strided<2>& rows, u64 first, i64 y_row,
                       const IndexCheck& check)
      : y(y), ids(ids), id_type(id_type), rows(rows), first(first), y_row(y_row), check(check) {}

  /// The address of the row in y, or null if its id is none.
  KG_DEVICE T* of(u32 row) const {
    const Position<2> at = locate(rows, row);
    const i64 position =
        check.resolve(load_index(ids, static_cast<IdType>(id_type), static_cast<u64>(at.offset[1])),
                      [&] { return first + row; });
    return position < 0 ? nullptr : y + at.offset[0] + position * y_row;
  }
};

/// Stores the rows of x, contiguous and of n elements each, to the rows of y at ids. A group of `threads` takes
/// up to `part` elements of a row at a time; elements of y are `y_step` apart.
template <class T>
KG_DEVICE void set_rows(const f32* x, const RowTargets<T>& targets, u64 n, i64 y_step, u64 part,
                        u32 threads) {
  const Group group(threads);
  const u64 parts = (n + part - 1) / part;
  for_each_span(targets.rows.elements * parts, group.count, [&](u64 task, u64 tasks) KG_INLINE {
    if (group.index >= tasks) return;
    const u64 mine = task + group.index, row = parts == 1 ? mine : mine / parts;
    const u64 begin = (mine - row * parts) * part, end = begin + part < n ? begin + part : n;
    T* const y = targets.of(static_cast<u32>(row));
    if (y == nullptr) return;
    const f32* const from = x + row * n;
    if (y_step == 1)
      for (u64 i = begin + group.rank; i < end; i += group.size) y[i] = convert<T>(from[i]);
    else
      for (u64 i = begin + group.rank; i < end; i += group.size)
        y[static_cast<i64>(i) * y_step] = convert<T>(from[i]);
  });
}

/// The same for rows of blocks.
template <class W>
KG_DEVICE void set_block_rows(const f32* x, const RowTargets<W>& targets, u64 n) {
  constexpr u64 elements = BlockFormat<W>::slices * slice_elements;
  const u64 each = n / elements;
  quantize_blocks<W>(
      targets.rows.elements * each, [=](u64 i) KG_INLINE { return x + i * elements; },
      [&](u64 i) KG_INLINE -> W* {
        const u64 row = i / each;
        W* const y = targets.of(static_cast<u32>(row));
        return y == nullptr ? y : y + (i - row * each);
      });
}

}  // namespace kg
