#pragma once
/// Scatters elements by index. An index that is the largest value of its type, or out of range, writes
/// nothing.
#include "device/arithmetic.hpp"
#include "device/prefetch.hpp"
#include "engines/index_check.hpp"
#include "engines/strided_elements.hpp"

namespace kg {

struct Set {
  template <class T>
  KG_DEVICE void operator()(T& y, T x) const {
    y = x;
  }
};
struct Add {
  template <class T>
  KG_DEVICE void operator()(T& y, T x) const {
    y = add(y, x);
  }
};

/// Adds in unspecified order. `layout` has the strides of y (0 along the dim), of the source and of ids; it
/// starts at element `first` of the source.
template <class T>
KG_DEVICE void scatter_add(T* y, const T* source, const Ids& ids, const Strided<3>& layout, i64 step,
                           u64 first, const IndexCheck& check) {
  ids.visit([&](const auto& id) KG_INLINE {
    for_each_element(layout, [&](u32 index, const Position<3>& at) KG_INLINE {
      const i64 position = check.resolve(id[at.offset[2]], [&] { return first + index; });
      if (position >= 0) atomic_add(y + at.offset[0] + position * step, source[at.offset[1]]);
    });
  });
}

/// The first of two steps of scatter_set: the number along the dim, plus one, of the source element that each
/// position gets. `layout` has the strides of `winners` (0 along the dim), of ids, and 1 along the dim only;
/// its first element has `number` there.
KG_DEVICE void scatter_claim(u32* winners, const Ids& ids, const Strided<3>& layout, i64 step, i64 number,
                             u64 first, const IndexCheck& check) {
  ids.visit([&](const auto& id) KG_INLINE {
    for_each_element(layout, [&](u32 index, const Position<3>& at) KG_INLINE {
      const i64 position = check.resolve(id[at.offset[1]], [&] { return first + index; });
      if (position >= 0)
        atomic_max(winners + at.offset[0] + position * step, static_cast<u32>(number + at.offset[2]) + 1);
    });
  });
}

/// The second step: `layout` enumerates the positions, with the strides of y and of the source (0 along the
/// dim).
template <class T>
KG_DEVICE void scatter_write(T* y, const T* source, const u32* winners, const Strided<2>& layout, i64 step) {
  for_each_element(layout, [&](u32 index, const Position<2>& at) KG_INLINE {
    const u32 winner = winners[index];
    if (winner != 0) y[at.offset[0]] = source[at.offset[1] + (winner - 1) * step];
  });
}

/// The indices of a line: `count` of them; `inner` lines are adjacent.
struct Line {
  u64 count, inner;
  i64 y_step, source_step, ids_step;

  KG_DEVICE Line(u64 count, u64 inner, i64 y_step, i64 source_step, i64 ids_step)
      : count(count), inner(inner), y_step(y_step), source_step(source_step), ids_step(ids_step) {}
};

/// Processes one line in index order, for positions from `low` to below `high`.
template <class T, class Id, class Op, class Element>
KG_DEVICE void scatter_line(T* y, const T* source, const Id* ids, const Line& line, i64 low, i64 high,
                            const IndexCheck& check, Op op, Element element) {
  constexpr u64 chunk = 32;  // few enough that the processor checks the next ones meanwhile
  const bool all = low == 0 && static_cast<u64>(high) == check.size;
  const i64 y_step = line.y_step, source_step = line.source_step, ids_step = line.ids_step;
  const bool is_short = line.count <= 8;  // not worth a separate check or prefetching
  if (all && y_step == 1 && !is_short) prefetch_table(y, check.size, line.count);
  for (u64 begin = 0; begin < line.count; begin += chunk) {
    const i64 first = static_cast<i64>(begin),
              end = static_cast<i64>(line.count - begin < chunk ? line.count : begin + chunk);
    if (ids_step == 1 && !is_short) prefetch_next_page(ids + first, chunk);
    if (source_step == 1 && !is_short) prefetch_next_page(source + first, chunk);
    const bool are_indices =
        !is_short && check.are_indices(ids + first * ids_step, ids_step, static_cast<u64>(end - first));
    if (are_indices && all && y_step == 1 && source_step == 1 && ids_step == 1)
      for (i64 j = first; j < end; ++j) op(y[static_cast<i64>(ids[j])], source[j]);
    else if (are_indices) {
      // Which indices are in this part's range is unpredictable, so there are no branches.
      u8 mine[chunk];
      u32 count = 0;
      for (i64 j = first; j < end; ++j) {
        const i64 position = static_cast<i64>(ids[j * ids_step]);
        mine[count] = static_cast<u8>(j - first);
        count += position >= low && position < high;
      }
      for (u32 k = 0; k < count; ++k) {
        const i64 j = first + mine[k];
        op(y[static_cast<i64>(ids[j * ids_step]) * y_step], source[j * source_step]);
      }
    } else
      for (i64 j = first; j < end; ++j) {
        const i64 position = check.resolve(ids[j * ids_step], element(static_cast<u64>(j)));
        if (position >= low && position < high) op(y[position * y_step], source[j * source_step]);
      }
  }
}

/// In index order, so that results are deterministic: one thread per line along the dim, or per part of the
/// line's positions if there are too few lines. `lines` has the strides of y, of the source and of ids; it
/// starts at line `first`. A thread takes up to `width` consecutive lines.
template <class T, class TypedIds, class Op>
KG_DEVICE void scatter_typed_lines(T* y, const T* source, const TypedIds& ids, const Strided<3>& lines,
                                   const Line& line, u64 first, u32 width, u32 parts, const IndexCheck& check,
                                   Op op) {
  const u32 columns = lines.dim[0].extent, across = (columns + width - 1) / width;
  const u64 tasks = static_cast<u64>(lines.elements / columns) * across;
  const i64 y_column = lines.stride[0][0], source_column = lines.stride[1][0],
            ids_column = lines.stride[2][0];
  for_each_index(tasks * parts, [&](u64 index) KG_INLINE {
    // A CPU may have many short lines, for which divisions would take as long as the work itself.
    const bool is_line = !is_gpu && width == 1 && parts == 1;
    const u64 task = is_line ? index : index % tasks, part = is_line ? 0 : index / tasks;
    const u32 column = is_line ? 0 : static_cast<u32>(task % across) * width;
    const u32 begin = is_line ? static_cast<u32>(task) : static_cast<u32>(task / across) * columns + column;
    const u32 count = columns - column < width ? columns - column : width;
    const i64 low = is_line ? 0 : static_cast<i64>(check.size * part / parts);
    const i64 high = static_cast<i64>(is_line ? check.size : check.size * (part + 1) / parts);
    const auto at = locate(lines, begin);
    const auto element = [&](u32 c, u64 j) KG_INLINE {
      const u64 l = first + begin + c;
      return [=, &line] { return (l / line.inner * line.count + j) * line.inner + l % line.inner; };
    };
    if constexpr (!is_gpu) {
      if (count == 1) {
        scatter_line(y + at.offset[0], source + at.offset[1], ids + at.offset[2], line, low, high, check, op,
                     [&](u64 j) KG_INLINE { return element(0, j); });
        return;
      }
    }
    for (u64 j = 0; j < line.count; ++j) {
      const i64 number = static_cast<i64>(j);
      T* target = y + at.offset[0];
      const T* from = source + at.offset[1] + number * line.source_step;
      const TypedIds id = ids + (at.offset[2] + number * line.ids_step);
      if (ids_column == 0) {
        const i64 position = check.resolve(id[0], element(0, j));
        if (position < low || position >= high) continue;
        target += position * line.y_step;
        if (y_column == 1 && source_column == 1)
          for (u32 c = 0; c < count; ++c) op(target[c], from[c]);
        else
          for (u32 c = 0; c < count; ++c) op(target[c * y_column], from[c * source_column]);
      } else if (!is_gpu && parts == 1 && check.are_indices(id, ids_column, count)) {
        for (u32 c = 0; c < count; ++c)
          op(target[static_cast<i64>(id[c * ids_column]) * line.y_step + c * y_column],
             from[c * source_column]);
      } else {
        for (u32 c = 0; c < count; ++c) {
          const i64 position = check.resolve(id[c * ids_column], element(c, j));
          if (position >= low && position < high)
            op(target[position * line.y_step + c * y_column], from[c * source_column]);
        }
      }
    }
  });
}

template <class T, class Op>
KG_DEVICE void scatter_lines(T* y, const T* source, const Ids& ids, const Strided<3>& lines, const Line& line,
                             u64 first, u32 width, u32 parts, const IndexCheck& check, Op op) {
  ids.visit([&](const auto& typed) KG_INLINE {
    scatter_typed_lines(y, source, typed, lines, line, first, width, parts, check, op);
  });
}

}  // namespace kg
