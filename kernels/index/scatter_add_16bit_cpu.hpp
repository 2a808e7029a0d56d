#pragma once
/// Scatter-add of 8- and 16-bit elements on CPUs: a thread holds the sums of whole lines, or of some columns of them.
#include "engines/index_check.hpp"
#include "engines/map_cpu.hpp"
#include "plan/scatter_cpu.hpp"

namespace kg::detail {

/// x, y: [lines][positions][inner]; source: [lines][count][inner], contiguous.
template <class T, class Id>
struct ScatterTiles {
  using Sum = sum_of<T>;
  static constexpr int lanes = vector_bytes / sizeof(Sum);
  /// Sums of several short lines that are processed together, and sources that are widened at a time.
  static constexpr u32 most_grouped = 2048, most_terms = 2048;

  const T* const x;
  T* const y;
  const T* const source;
  const Id* const ids;
  const IndexCheck& check;
  const u32 positions, inner, count, lines;
  const i64 ids_column, ids_step, ids_line;
  alignas(64) Sum sums[scatter_cpu_sums], terms[most_terms];

  KG_DEVICE ScatterTiles(const T* x, T* y, const T* source, const Id* ids, const Strided<3>& layout,
                         const IndexCheck& check)
      : x(x),
        y(y),
        source(source),
        ids(ids),
        check(check),
        positions(static_cast<u32>(check.size)),
        inner(layout.dim[0].extent),
        count(layout.dim[1].extent),
        lines(layout.dim[2].extent),
        ids_column(layout.stride[2][0]),
        ids_step(layout.stride[2][1]),
        ids_line(layout.stride[2][2]) {}

  KG_DEVICE void run() {
    constexpr u32 unit = 64;  // whole cache lines
    u32 columns = inner, group = 1;
    const u32 most = scatter_cpu_sums / positions < most_terms ? scatter_cpu_sums / positions : most_terms;
    if (columns > most) columns = most / unit * unit;
    const u64 share = static_cast<u64>(inner) * lines / grid_size() / unit * unit + unit;
    if (lines < grid_size() && columns > share) columns = static_cast<u32>(share);
    if (columns == inner) {
      const u64 by_sums = most_grouped / (static_cast<u64>(positions) * inner),
                by_terms = most_terms / (static_cast<u64>(count) * inner);
      group = static_cast<u32>(by_sums < by_terms ? by_sums : by_terms);
      const u32 each = lines / grid_size();
      if (group > each) group = each;
      if (group == 0) group = 1;
    }
    const u32 across = (inner + columns - 1) / columns;
    for_each_index(static_cast<u64>((lines + group - 1) / group) * across, [&](u64 task) KG_INLINE {
      const u32 line = static_cast<u32>(task / across) * group,
                column = static_cast<u32>(task % across) * columns;
      add_lines(line, lines - line < group ? lines - line : group, column,
                inner - column < columns ? inner - column : columns);
    });
  }

  KG_DEVICE void add_lines(u32 line, u32 group, u32 column, u32 width) {
    constexpr int lanes = ScatterTiles::lanes;
    const bool is_whole = width == inner;
    const u32 rows = is_whole ? 1 : positions, length = is_whole ? group * positions * inner : width;
    const u64 begin = static_cast<u64>(line) * positions * inner + column;
    for (u32 r = 0; r < rows; ++r) {
      const T* const from = x + begin + static_cast<u64>(r) * inner;
      Sum* const to = sums + r * width;
      KG_VECTORIZE for (u32 i = 0; i < length; ++i) to[i] = convert<Sum>(from[i]);
    }
    const u32 at_once = group > 1 ? count : most_terms / width;
    for (u32 j = 0; j < count; j += at_once)
      add_terms(line, group, column, width, j, count - j < at_once ? count - j : at_once);
    for (u32 r = 0; r < rows; ++r) {
      const Sum* const from = sums + r * width;
      T* const to = y + begin + static_cast<u64>(r) * inner;
      KG_VECTORIZE for (u32 i = 0; i < length; ++i) to[i] = convert<T>(from[i]);
    }
  }

  /// Adds sources `first` to `first + some` of each line, in their order.
  KG_DEVICE void add_terms(u32 line, u32 group, u32 column, u32 width, u32 first, u32 some) {
    constexpr int lanes = ScatterTiles::lanes;
    const u64 number = (static_cast<u64>(line) * count + first) * inner + column;
    const bool is_direct = width >= 2 * lanes && ids_column == 0;
    if (!is_direct) {
      const bool is_whole = width == inner;
      const u32 rows = is_whole ? 1 : some, length = is_whole ? group * some * inner : width;
      for (u32 r = 0; r < rows; ++r) {
        const T* const from = source + number + static_cast<u64>(r) * inner;
        Sum* const to = terms + r * width;
        KG_VECTORIZE for (u32 i = 0; i < length; ++i) to[i] = convert<Sum>(from[i]);
      }
    }
    const Id* const id = ids + column * ids_column + first * ids_step + line * ids_line;
    if (width == 1) {
      for (u32 g = 0; g < group; ++g)
        add_elements(sums + g * positions, terms + g * some, id + g * ids_line, some,
                     number + static_cast<u64>(g) * count);
      return;
    }
    for (u32 j = 0; j < some; ++j) {
      i64 position = 0;
      for (u32 g = 0; g < group; ++g) {
        const Id* const mine = id + j * ids_step + g * ids_line;
        const auto element = [&, g](u32 c) KG_INLINE {
          return [=] { return number + (static_cast<u64>(g) * count + j) * inner + c; };
        };
        Sum* const to = sums + g * positions * width;
        const Sum* const from = terms + (g * some + j) * width;
        if (ids_column != 0) {
          for (u32 c = 0; c < width; ++c) {
            const i64 its = check.resolve(mine[c * ids_column], element(c));
            if (its >= 0) to[its * width + c] = add(to[its * width + c], from[c]);
          }
          continue;
        }
        if (g == 0 || ids_line != 0) position = check.resolve(mine[0], element(0));
        if (position < 0) continue;
        Sum* const row = to + position * width;
        if (is_direct) {
          const T* const wide = source + number + (static_cast<u64>(g) * count + j) * inner;
          for_each_lane<lanes>(0, width,
                               [=](u64 c) KG_INLINE { row[c] = add(row[c], convert<Sum>(wide[c])); });
        } else if (width >= 4) {
          for_each_masked<lanes>(0, width, [=](u64 c) KG_INLINE { row[c] = add(row[c], from[c]); });
        } else {
#pragma clang loop vectorize(disable) unroll(disable)
          for (u32 c = 0; c < width; ++c) row[c] = add(row[c], from[c]);
        }
      }
    }
  }

  /// The same for a line of single elements.
  KG_DEVICE void add_elements(Sum* to, const Sum* from, const Id* id, u32 some, u64 number) {
    constexpr u32 chunk = 32;  // few enough that the processor checks the next ones meanwhile
    for (u32 begin = 0; begin < some; begin += chunk) {
      const u32 end = some - begin < chunk ? some : begin + chunk;
      if (ids_step == 1 && check.are_indices(id + begin, 1, end - begin)) {
        for (u32 j = begin; j < end; ++j) to[id[j]] = add(to[id[j]], from[j]);
      } else {
        for (u32 j = begin; j < end; ++j) {
          const i64 position = check.resolve(id[j * ids_step], [=] { return number + j; });
          if (position >= 0) to[position] = add(to[position], from[j]);
        }
      }
    }
  }
};

}  // namespace kg::detail

namespace kg {

/// y = x plus the sources that indices add to each position, in their order. x and y have the same `elements` contiguous
/// elements and may alias. The dims of `layout` are those after the one that is indexed, that, and those before it. The
/// source is contiguous; the strides of ids are the last of `layout`.
template <class T>
KG_DEVICE void scatter_add_block(const T* x, T* y, u32, u32, u32, u32, const T* source, const void* ids,
                                 u32 id_type, const Strided<3>& layout, i64, const IndexCheck& check) {
  with_id_type(ids, static_cast<IdType>(id_type),
               [&](auto typed) KG_INLINE { detail::ScatterTiles(x, y, source, typed, layout, check).run(); });
}

}  // namespace kg
