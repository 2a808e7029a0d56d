#pragma once
/// Distributes rows over the blocks of a grid. Short rows that are not a multiple of 16 bytes are staged
/// through shared memory, many at a time, so that global accesses stay 16 bytes wide.
#include "engines/spans.hpp"
#include "row/row_gpu.hpp"

namespace kg {
namespace detail {

/// Copies n elements by all threads of a block. x and y must have the same address modulo 16; after the elements up to the first
/// 16-byte boundary, accesses are 16 bytes wide.
template <class T>
KG_DEVICE void copy_alike(const Group& block, const T* x, T* y, u32 n) {
  const u32 before = elements_to_alignment<16 / sizeof(T)>(x);
  const u32 head = before < n ? before : n;
  if (block.rank < head) y[block.rank] = x[block.rank];
  copy_span(block, x + head, y + head, n - head, SpanStores(0));
}

/// for_each_row() for rows of up to row_tile_longest elements. A block takes as many rows at a time as fit its shared memory, or
/// its share of the rows if that is less. Results replace the elements in shared memory.
template <class T, class Body>
KG_DEVICE void for_each_row_in_tiles(const T* x, u64 rows, u32 n, Body body, T* y) {
  KG_SHARED Quad memory[row_tile_bytes / sizeof(Quad)];
  const u32 most = row_tile_elements(sizeof(T)) / n;
  const u64 share = (rows + grid_size() - 1) / grid_size();
  for_each_span(rows, share < most ? share : most, [&](u64 first, u64 count) KG_INLINE {
    const Group block(row_threads), group(row_tile_group(n));
    const u64 start = first * n;
    const u32 here = static_cast<u32>(count), elements = here * n;
    // Same misalignment in shared memory as in global memory.
    T* const tile = reinterpret_cast<T*>(memory) + reinterpret_cast<u64>(x + start) % 16 / sizeof(T);
    copy_alike(block, x + start, tile, elements);
    sync();
    KG_NO_UNROLL for (u32 at = 0; at < here; at += group.count) {
      const u32 index = at + group.index;
      const bool works = group.index < group.count && index < here;
      T* const row_start = tile + (works ? index * n : 0);
      RegisterRow<RowOf<T>, 1, unaligned_row_few_elements> row(group, {row_start}, works ? n : 0, 0);
      body(row, first + (works ? index : 0), works && group.rank == 0, row_start);
    }
    sync();
    if (y != nullptr) copy_alike<T>(block, tile, y + start, elements);
    sync();
  });
}

}  // namespace detail

/// Calls body(row, row index, whether this thread is the first of its group and the group has a row, destination of the row's
/// results) for each of `rows` rows of n elements, one group per row. y has one element per source element or is null; its
/// alignment counts too. group_size 0 stages rows in shared memory: they must have at most row_tile_longest elements, and the
/// source must be a RowOf.
template <class Source, class Body, class T>
KG_DEVICE void for_each_row(const Source& source, u64 rows, u64 n, u32 group_size, const SpanStores& stores,
                            Body body, T* y) {
  if constexpr (same<Source, RowOf<typename Source::Element>>)
    if (group_size == 0) return detail::for_each_row_in_tiles(source.x, rows, static_cast<u32>(n), body, y);
  for_each_span(rows, Group(group_size).count, [&](u64 first, u64 count) KG_INLINE {
    const Group group(uniform_optimization_barrier(group_size));
    const bool works = group.index < count;
    const u64 number = first + (works ? group.index : 0);
    T* const target = y == nullptr ? nullptr : y + number * n;
    with_row(
        group, source.from(number * n), n, works, stores,
        [&](auto&& row) KG_INLINE { body(row, number, works && group.rank == 0, target); }, target);
  });
}

}  // namespace kg
