#pragma once
/// Rows shared between the blocks of a grid. Those that accesses of 16 bytes do not fit come through shared memory, many at a
/// time: neighbouring rows fill whole accesses together.
#include "engines/row_gpu.hpp"
#include "engines/tasks.hpp"

namespace kg {
namespace detail {

/// n elements, by all threads of a block: in accesses of 16 bytes where x and y lie alike, but for what comes before the first.
template <class T>
KG_DEVICE void copy_alike(const Group& block, const T* x, T* y, u32 n) {
  const u32 before = static_cast<u32>(-reinterpret_cast<u64>(x) % 16) / sizeof(T);
  const u32 head = before < n ? before : n;
  if (block.rank < head) y[block.rank] = x[block.rank];
  copy_run(block, x + head, y + head, n - head, RunStores(0));
}

/// Rows of up to row_tile_longest elements of x. A block takes as many at a time as its shared memory holds, where the results
/// replace them, or its share of them.
template <class T, class Body>
KG_DEVICE void for_each_row_in_tiles(const T* x, u64 rows, u32 n, Body body, T* y) {
  KG_SHARED Quad memory[row_tile_bytes / sizeof(Quad)];
  const u32 most = row_tile_elements(sizeof(T)) / n;
  const u64 share = (rows + grid_size() - 1) / grid_size();
  for_each_run(rows, share < most ? share : most, [&](u64 first, u64 count) KG_INLINE {
    const Group block(row_threads), group(row_tile_group(n));
    const u64 start = first * n;
    const u32 here = static_cast<u32>(count), elements = here * n;
    // As far from an access's beginning as in memory.
    T* const tile = reinterpret_cast<T*>(memory) + reinterpret_cast<u64>(x + start) % 16 / sizeof(T);
    copy_alike(block, x + start, tile, elements);
    sync();
    KG_NO_UNROLL for (u32 at = 0; at < here; at += group.count) {
      const u32 index = at + group.index;
      const bool works = group.index < group.count && index < here;
      T* const place = tile + (works ? index * n : 0);
      HeldRow<RowOf<T>, 1, few_singles> row(group, {place}, works ? n : 0, 0);
      body(row, first + (works ? index : 0), works && group.rank == 0, place);
    }
    sync();
    if (y != nullptr) copy_alike<T>(block, tile, y + start, elements);
    sync();
  });
}

}  // namespace detail

/// Calls body(row, number, whether this thread is the first of a group that has that row, where its results go) for each of
/// `rows` rows of n elements, a group of threads a row. y has an element for each of the source's or is null; its alignment
/// and that of what each row goes with count too. Groups of no size say that rows, of up to
/// row_tile_longest elements of one operand, come through shared memory.
template <class Source, class Body, class T, class... Operand>
KG_DEVICE void for_each_row(const Source& source, u64 rows, u64 n, u32 group_size, const RunStores& stores,
                            Body body, T* y, const Operand*... operands) {
  if constexpr (!Source::keeps)
    if (group_size == 0) return detail::for_each_row_in_tiles(source.x, rows, static_cast<u32>(n), body, y);
  for_each_run(rows, Group(group_size).count, [&](u64 first, u64 count) KG_INLINE {
    const Group group(worked_out_again(group_size));
    const bool works = group.index < count;
    const u64 number = first + (works ? group.index : 0);
    T* const target = y == nullptr ? nullptr : y + number * n;
    with_row(
        group, source.from(number * n), n, works, stores,
        [&](auto&& row) KG_INLINE { body(row, number, works && group.rank == 0, target); }, target,
        operands...);
  });
}

}  // namespace kg
