#pragma once
#include "engines/copy_span.hpp"
#include "engines/index_check.hpp"
#include "engines/position.hpp"
#include "engines/spans.hpp"

namespace kg {

/// A thread processes several indices at a time, and checks each once for all rows of a tile. Consecutive
/// threads take consecutive elements, so that a block finds elements that share cache lines in its cache.
template <class T>
KG_DEVICE void gather(const T* x, const Ids& ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                      const GatherRows& rows, const IndexCheck& check) {
  constexpr u32 in_flight = 4;
  constexpr i64 nowhere = Limits<i64>::lowest;
  const u32 columns = layout.elements, size = block_size();
  const u32 across = (columns - 1) / rows.tile_columns + 1, down = (rows.count - 1) / rows.tile_rows + 1;
  for_each_span(u64{across} * down, 1, [&](u64 task, u64) KG_INLINE {
    const u32 tile = static_cast<u32>(task), line = tile / across;
    const u32 begin_row = line * rows.tile_rows, begin = (tile - line * across) * rows.tile_columns;
    const u32 end = columns - begin < rows.tile_columns ? columns : begin + rows.tile_columns;
    const u32 count = rows.count - begin_row < rows.tile_rows ? rows.count - begin_row : rows.tile_rows;
    for (u32 base = begin + thread_index(); base < end; base += in_flight * size) {
      i64 place[in_flight], id[in_flight];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (base + k * size < end) {
        const Position<2> at = locate(layout, base + k * size);
        place[k] = at.offset[0];
        id[k] = at.offset[1];
      }
      ids.typed([&](auto typed) KG_INLINE {
        KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (base + k * size < end) id[k] =
            widen_index(typed[id[k]]);
      });
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (base + k * size < end) {
        const i64 found = check.resolve(id[k], [&] { return first + base + k * size; });
        place[k] = found >= 0 ? place[k] + found * step : nowhere;
      }
      const T* source = x + begin_row * rows.x_step;
      T* target = y + begin_row * rows.y_step + base;
      KG_NO_UNROLL for (u32 row = 0; row < count; ++row, source += rows.x_step, target += rows.y_step) {
        T value[in_flight];
        KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (base + k * size < end) value[k] =
            place[k] != nowhere ? source[place[k]] : T{};
        KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (base + k * size < end) target[k * size] = value[k];
      }
    }
  });
}

template <class T>
KG_DEVICE void gather_spans(const T* x, const Ids& ids, T* y, const Strided<2>& runs, i64 step, u64 first,
                            u64 length, u32 part, u32 threads, const IndexCheck& check) {
  const Group group(threads);
  const SpanStores stores(runs.elements * length * sizeof(T));
  const u64 parts = (length + part - 1) / part;
  for_each_span(runs.elements * parts, group.count, [&](u64 task, u64 tasks) KG_INLINE {
    if (group.index >= tasks) return;
    const u64 mine = task + group.index;
    const u32 run = static_cast<u32>(mine / parts);
    const u64 begin = mine % parts * part, count = length - begin < part ? length - begin : part;
    const Position<2> at = locate(runs, run);
    const i64 place = check.resolve(ids[at.offset[1]], [&] { return first + run * length; });
    T* target = y + run * length + begin;
    if (place >= 0)
      copy_span(group, x + at.offset[0] + place * step + begin, target, count, stores);
    else
      for (u64 i = group.rank; i < count; i += group.size) target[i] = T{};
  });
}

}  // namespace kg
