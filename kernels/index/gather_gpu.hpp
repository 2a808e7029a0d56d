#pragma once
#include "engines/copy_span.hpp"
#include "engines/index_check.hpp"
#include "engines/positions.hpp"
#include "engines/spans.hpp"

namespace kg {

namespace detail {

/// The elements that a thread gathers. Each form returns the first of them whose index is bad, or `none`.
template <class T>
struct Gathered {
  static constexpr u32 none = Limits<u32>::highest;
  static constexpr i64 nowhere = Limits<i64>::lowest;

  const T* x;
  const Ids& ids;
  T* y;
  const Strided<2>& layout;
  i64 step;
  const GatherRows& rows;
  const IndexCheck& check;

  /// A thread takes one element.
  KG_DEVICE u32 single() const {
    const u32 index = block_index() * rows.tile_columns + thread_index();
    if (thread_index() >= rows.tile_columns || index >= layout.elements) return none;
    Position<2> at[1]{};
    locate<i64>(layout, {index}, at);
    const i64 id = load_id(at->offset[1]), offset = find(at->offset[0], id);
    y[index] = offset != nowhere ? x[offset] : T{};
    return is_bad(id) ? index : none;
  }

  /// A thread takes a column of a tile, whose index it reads once for all rows. Where a block has more threads than the tile
  /// columns, they process several rows at a time.
  KG_DEVICE u32 columns() const {
    constexpr u32 in_flight = 4;
    const u32 width = rows.tile_columns,
              across = layout.elements > width ? (layout.elements - 1) / width + 1 : 1;
    const u32 line = across > 1 ? block_index() / across : block_index(),
              tile = block_index() - line * across;
    const u32 at_once = block_size() / width, row = thread_index() / width;
    const u32 index = tile * width + thread_index() - row * width;
    const u32 begin = line * rows.tile_rows, left = rows.count - begin;
    const u32 end = begin + (left < rows.tile_rows ? left : rows.tile_rows);
    if (row >= at_once || index >= layout.elements || begin >= rows.count) return none;
    Position<2> at[1]{};
    locate<i64>(layout, {index}, at);
    const i64 id = load_id(at->offset[1]), offset = find(at->offset[0], id);
    const bool is_index = offset != nowhere;
    const T* source = x + (is_index ? offset : 0) + (begin + row) * rows.x_step;
    T* target = y + index + (begin + row) * rows.y_step;
    const i64 x_step = at_once * rows.x_step, y_step = at_once * rows.y_step;
    KG_NO_UNROLL for (u32 r = begin + row; r < end; r += in_flight * at_once) {
      T value[in_flight];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (r + k * at_once < end) value[k] =
          is_index ? source[k * x_step] : T{};
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (r + k * at_once < end) target[k * y_step] = value[k];
      source += in_flight * x_step;
      target += in_flight * y_step;
    }
    return is_bad(id) ? index : none;
  }

  /// A thread takes several columns at a time, each with an index that it reads once for all rows of a tile. Consecutive
  /// threads take consecutive columns, so that a block finds elements that share cache lines in its cache.
  KG_DEVICE u32 elements() const {
    constexpr u32 in_flight = 4;
    const u32 size = block_size(), width = rows.tile_columns;
    const u32 line = rows.count > 1 ? block_index() / ((layout.elements - 1) / width + 1) : 0;
    const u32 tile = rows.count > 1 ? block_index() % ((layout.elements - 1) / width + 1) : block_index();
    const u32 begin = tile * width, left = layout.elements - begin,
              end = begin + (left < width ? left : width);
    const u32 row = line * rows.tile_rows, below = rows.count - row;
    const u32 count = below < rows.tile_rows ? below : rows.tile_rows;
    if (begin >= layout.elements || row >= rows.count) return none;
    u32 bad = none;
    KG_NO_UNROLL for (u32 base = begin + thread_index(); base < end; base += in_flight * size) {
      u32 index[in_flight];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) index[k] = base + k * size;
      Position<2> at[in_flight]{};
      locate<i64>(layout, index, at);
      i64 id[in_flight], offset[in_flight];
      ids.typed([&](auto typed) KG_INLINE {
        KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (index[k] < end) id[k] =
            widen_index(typed[at[k].offset[1]]);
      });
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
        offset[k] = index[k] < end ? find(at[k].offset[0], id[k]) : nowhere;
        if (bad == none && index[k] < end && is_bad(id[k])) bad = index[k];
      }
      const T* source = x + row * rows.x_step;
      T* target = y + row * rows.y_step + base;
      KG_NO_UNROLL for (u32 r = 0; r < count; ++r, source += rows.x_step, target += rows.y_step) {
        T value[in_flight];
        KG_UNROLL for (u32 k = 0; k < in_flight; ++k) value[k] =
            offset[k] != nowhere ? source[offset[k]] : T{};
        KG_UNROLL for (u32 k = 0; k < in_flight; ++k) if (index[k] < end) target[k * size] = value[k];
      }
    }
    return bad;
  }

 private:
  /// Index i, by the bits of its type: a switch would jump through a table, which is one more access to memory.
  KG_DEVICE i64 load_id(i64 i) const {
    const u32 bits = static_cast<u32>(ids.type);
    if (ids.type == IdType::i64) return static_cast<const i64*>(ids.ids)[i];
    if (bits & 1) {
      const u32 id = static_cast<const u32*>(ids.ids)[i];
      return bits & 2 ? widen_index(static_cast<i32>(id)) : widen_index(id);
    }
    return bits & 2 ? widen_index(static_cast<const i16*>(ids.ids)[i])
                    : widen_index(static_cast<const u8*>(ids.ids)[i]);
  }
  KG_DEVICE i64 find(i64 offset, i64 id) const { return check.is_index(id) ? offset + id * step : nowhere; }
  KG_DEVICE bool is_bad(i64 id) const { return !check.is_index(id) && id != Limits<i64>::highest; }
};

}  // namespace detail

template <class T>
KG_DEVICE void gather(const T* x, const Ids& ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                      const GatherRows& rows, const IndexCheck& check) {
  const detail::Gathered<T> call{x, ids, y, layout, step, rows, check};
  // Small calls come first and the report last: each line of code that a thread skips may be a miss of its cache.
  u32 bad;
  if (rows.tile_columns > block_size()) {
    bad = call.elements();
  } else if (rows.count > 1) {
    bad = call.columns();
  } else {
    bad = call.single();
    if (bad == call.none) return;
  }
  if (bad != call.none) check.resolve(ids[locate(layout, bad).offset[1]], [&] { return first + bad; });
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
    const i64 position = check.resolve(ids[at.offset[1]], [&] { return first + run * length; });
    T* target = y + run * length + begin;
    if (position >= 0)
      copy_span(group, x + at.offset[0] + position * step + begin, target, count, stores);
    else
      for (u64 i = group.rank; i < count; i += group.size) target[i] = T{};
  });
}

}  // namespace kg
