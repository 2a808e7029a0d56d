#pragma once
#include "engines/map_cpu.hpp"
#include "engines/row_per_lane_cpu.hpp"
#include "engines/spans.hpp"
#include "engines/turn.hpp"
#include "scan/list_sums.hpp"

namespace kg {

namespace detail {

/// Prefix sums as a body of map_row_per_lane(): one row per SIMD lane.
struct RunningSumsOfRow {
  template <class Row, class T>
  KG_DEVICE void operator()(Row& row, T* y) const {
    using V = typename Row::V;
    RunningSums<V, 1> sums;
    sums.begin(0, V(0));
    u32 added = 0;
    row.store(y, [&](V v) KG_INLINE {
      const V sum = sums.add(0, v);
      if (++added % 8 == 0) {
        sums.next_eight();
        sums.next_eight(0);
      }
      return sum;
    });
  }
};

/// Lines of fewer elements do not fill a vector: many are widened and rounded together.
inline constexpr u32 cpu_short_line = 16;

/// Prefix sums along columns of `lines` lines of `columns` elements, at most lanes_of_line, which start again after each `length`
/// lines. `before`, if not null, has the sums before the first line: column c's is before[c * apart].
template <u32 lanes_of_line, class T>
KG_DEVICE void scan_short_lines(const T* x, T* y, u64 lines, u64 length, u32 columns,
                                const scan_accumulator<T>* before, u64 apart) {
  using A = scan_accumulator<T>;
  using Line = typename UnalignedVector<A, lanes_of_line>::type;
  typedef A Vector __attribute__((ext_vector_type(lanes_of_line)));
  constexpr int lanes = vector_bytes / sizeof(A);
  constexpr u32 most = 512;
  // A vector overruns into the next line, whose sums are stored later.
  alignas(64) A held[most + lanes_of_line] = {}, result[most + lanes_of_line];
  Vector start = {};
  for (u32 c = 0; before && c < columns; ++c) start[c] = before[c * apart];
  RunningSums<Vector, 1> sums;
  sums.begin(0, start);
  const u32 step = most / columns;
  u64 added = 0;
  for (u64 line = 0; line < lines; line += step) {
    const u32 count = (lines - line < step ? static_cast<u32>(lines - line) : step) * columns;
    const T* const from = x + line * columns;
    T* const to = y + line * columns;
    KG_VECTORIZE for (u32 i = 0; i < count; ++i) held[i] = term_of(from[i]);
    for (u32 i = 0; i < count; i += columns) {
      const Vector next = *reinterpret_cast<const Line*>(held + i);
      *reinterpret_cast<Line*>(result + i) = sums.add(0, next);
      if (++added == length) {
        sums = RunningSums<Vector, 1>();
        sums.begin(0, Vector(A(0)));
        added = 0;
      } else if (added % 8 == 0) {
        sums.next_eight();
        sums.next_eight(0);
      }
    }
    KG_VECTORIZE for (u32 i = 0; i < count; ++i) to[i] = rounded_sum<T>(result[i]);
  }
}
template <class T>
KG_DEVICE void scan_short_lines(const T* x, T* y, u64 lines, u64 length, u32 columns,
                                const scan_accumulator<T>* before, u64 apart) {
  constexpr u32 few = cpu_short_line / 4;
  if (columns <= few)
    scan_short_lines<few>(x, y, lines, length, columns, before, apart);
  else
    scan_short_lines<cpu_short_line>(x, y, lines, length, columns, before, apart);
}

}  // namespace detail

namespace detail {

/// Prefix sums of `count` contiguous elements, from `before` on.
template <class T>
KG_DEVICE void scan_row(const T* from, T* to, u64 count, scan_accumulator<T> before) {
  using A = scan_accumulator<T>;
  constexpr int lanes = vector_bytes / sizeof(A);
  constexpr u32 run = 64;
  alignas(64) A held[run];  // widened and narrowed in vectors
  RunningSums<A, 1> sums;
  sums.begin(0, before);
  for (u64 first = 0; first < count; first += run) {
    const u32 some = count - first < run ? static_cast<u32>(count - first) : run;
    KG_VECTORIZE for (u32 i = 0; i < some; ++i) held[i] = term_of(from[first + i]);
    u32 i = 0;
    for (; i + 8 <= some; i += 8) {
      KG_UNROLL for (u32 e = 0; e < 8; ++e) held[i + e] = sums.add(0, held[i + e]);
      sums.next_eight();
      sums.next_eight(0);
    }
    for (; i < some; ++i) held[i] = sums.add(0, held[i]);
    KG_VECTORIZE for (u32 k = 0; k < some; ++k) to[first + k] = rounded_sum<T>(held[k]);
  }
}

}  // namespace detail

/// Prefix sums along rows of contiguous elements.
template <class T>
KG_DEVICE void scan_rows(const T* x, T* y, u64 rows, u64 n, u32) {
  if constexpr (!is_integer<T>) {
    const SpanStores stores(x == y ? 0 : rows * n * sizeof(T));
    if (detail::map_row_per_lane(RowOf<T>{x}, y, rows, n, stores, detail::RunningSumsOfRow{})) return;
  }
  for_each_span(rows, 1, [&](u64 row, u64) KG_INLINE {
    detail::scan_row(x + row * n, y + row * n, n, scan_accumulator<T>(0));
  });
}

/// The same of rows in parts: see scan.hpp.
template <class T>
KG_DEVICE void scan_row_parts(const T* x, T* y, b64* words, u64 rows, const Parts& cut) {
  const Group group(1);
  for_each_in_turn(reinterpret_cast<u32*>(words), rows * cut.parts, [&](u32 task) KG_INLINE {
    const ListPart part(cut, task);
    const u64 first = part.list * cut.n + part.first;
    const auto sum = accumulate<PartSum<T>>(group, x + first, static_cast<u32>(part.count), 0);
    const ListSums<scan_accumulator<T>> sums(words + 1, cut, part.list);
    detail::scan_row(x + first, y + first, part.count,
                     sums.exchange(group, static_cast<u32>(part.number), sum));
  });
}

/// Prefix sums along columns: `outer` lists of lines of `inner` contiguous elements. `before` [outer, inner, parts] has the sum
/// of the parts before each part, or is null. A thread processes several adjacent columns of a part.
template <class T>
KG_DEVICE void scan_columns(const T* x, T* y, const scan_accumulator<T>* before, u64 outer, u64 inner,
                            const Parts& cut) {
  using A = scan_accumulator<T>;
  constexpr int lanes = vector_bytes / sizeof(A);
  const bool is_short = inner < detail::cpu_short_line;
  if (is_short && cut.parts == 1) {
    const detail::Share lists = detail::share(outer);
    const u64 first = lists.first * cut.n * inner;
    detail::scan_short_lines(x + first, y + first, (lists.last - lists.first) * cut.n, cut.n,
                             static_cast<u32>(inner), static_cast<const A*>(nullptr), 0);
    return;
  }
  const u64 tiles = (inner + cpu_scan_columns - 1) / cpu_scan_columns;
  for_each_span(outer * cut.parts * tiles, 1, [&](u64 number, u64) KG_INLINE {
    const u64 task = number / tiles, column = (number - task * tiles) * cpu_scan_columns;
    const ListPart part(cut, task);
    const u64 start = (part.list * cut.n + part.first) * inner + column;
    const u32 columns =
        inner - column < cpu_scan_columns ? static_cast<u32>(inner - column) : cpu_scan_columns;
    if (is_short) {
      detail::scan_short_lines(x + start, y + start, part.count, part.count, columns,
                               before + part.list * inner * cut.parts + part.number, cut.parts);
      return;
    }
    RunningSums<A, cpu_scan_columns> sums;
    for (u32 c = 0; c < columns; ++c)
      sums.begin(c, before ? before[(part.list * inner + column + c) * cut.parts + part.number] : A(0));
    for (u64 line = 0; line < part.count; ++line) {
      const T* const from = x + start + line * inner;
      T* const to = y + start + line * inner;
      KG_VECTORIZE for (u32 c = 0; c < columns; ++c) to[c] = rounded_sum<T>(sums.add(c, term_of(from[c])));
      if (line % 8 != 7) continue;
      sums.next_eight();
      KG_VECTORIZE for (u32 c = 0; c < columns; ++c) sums.next_eight(c);
    }
  });
}

}  // namespace kg
