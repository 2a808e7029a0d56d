#pragma once
#include "device/contiguous.hpp"
#include "device/pack.hpp"
#include "device/prefix.hpp"
#include "engines/grid_stride.hpp"
#include "engines/spans.hpp"
#include "scan/running_sum.hpp"

namespace kg {

/// Prefix sums along rows of contiguous elements, one group of threads per part: each thread sums a few
/// contiguous elements, and the group computes the prefix sums of its threads. `sums` [rows, parts] has the sum
/// of each part, or is null.
template <class T>
KG_DEVICE void scan_rows(const T* x, T* y, const scan_accumulator<T>* sums, u64 rows, const Parts& cut,
                         u32 group_size) {
  using A = scan_accumulator<T>;
  constexpr u32 W = scan_neighbours(sizeof(T));
  const Group group(group_size);
  const u64 step = static_cast<u64>(group.size) * W;
  for_each_span(rows * cut.parts, group.count, [&](u64 first, u64 tasks) KG_INLINE {
    const bool works = group.index < tasks;
    const u64 task = works ? first + group.index : first;
    const ListPart part(cut, task);
    const T* const from = x + part.list * cut.n + part.first;
    T* const to = y + part.list * cut.n + part.first;
    const u64 count = works ? part.count : 0;
    // Accesses are aligned: the first begins before the row.
    const u32 outside = static_cast<u32>(reinterpret_cast<u64>(from) / sizeof(T) % W);
    // All groups of a block must take the same number of iterations, because they share barriers. With
    // several parts per row, a block processes one part.
    const u64 span = cut.parts == 1 ? cut.n + W - 1 : outside + part.count;
    const u64 steps = (span + step - 1) / step;
    const auto position_at = [&](u64 s)
                                 KG_INLINE { return static_cast<i64>(s * step + group.rank * W) - outside; };
    const auto is_inside = [&](i64 at) KG_INLINE { return at >= 0 && static_cast<u64>(at) < count; };
    const auto is_whole = [&](i64 at) KG_INLINE { return at >= 0 && static_cast<u64>(at) + W <= count; };
    const auto load = [&](i64 at, T(&value)[W]) KG_INLINE {
      if (is_whole(at)) {
        load_contiguous<W>(from + at, value);
      } else {
        KG_UNROLL for (u32 e = 0; e < W; ++e) value[e] = is_inside(at + e) ? from[at + e] : T{};
      }
    };
    T value[W], following[W];
    load(position_at(0), following);
    A carry = A(0);
    if (sums) {
      for (u32 p = group.rank; p < part.number; p += group.size)
        carry = carry + sums[part.list * cut.parts + p];
      carry = group_reduce(group, carry, [](A a, A b) KG_INLINE { return a + b; });
    }
    for (u64 s = 0; s < steps; ++s) {
      KG_UNROLL for (u32 e = 0; e < W; ++e) value[e] = following[e];
      // The next iteration's loads are in flight during this one's barriers.
      if (s + 1 < steps) load(position_at(s + 1), following);
      A sum[W];
      sum[0] = term_of(value[0]);
      KG_UNROLL for (u32 e = 1; e < W; ++e) sum[e] = sum[e - 1] + term_of(value[e]);
      const Prefix<A> prefix = prefix_sum(group, sum[W - 1]);
      const A base = carry + prefix.before;
      KG_UNROLL for (u32 e = 0; e < W; ++e) value[e] = rounded_sum<T>(base + sum[e]);
      const i64 at = position_at(s);
      if (is_whole(at)) {
        store_contiguous<W>(to + at, value);
      } else {
        KG_UNROLL for (u32 e = 0; e < W; ++e) if (is_inside(at + e)) to[at + e] = value[e];
      }
      carry = carry + prefix.total;
    }
  });
}

namespace detail {

/// Columns of one part, W adjacent ones in one access, processed by one thread line by line.
template <class T, u32 W>
struct ScanColumns {
  static constexpr u32 lines = 8;

  const T* from;
  T* to;
  u64 pitch;  ///< elements from one line to the next
  RunningSums<scan_accumulator<T>, W> sums;

  /// Processes eight lines, or `count` if fewer.
  template <bool Whole>
  KG_DEVICE void add_lines(u32 count) {
    Pack<T, W> pack[lines];
    KG_UNROLL for (u32 i = 0; i < lines; ++i) if (Whole || i < count) pack[i] =
        load_pack<W>(from + i * pitch);
    KG_UNROLL for (u32 i = 0; i < lines; ++i) if (Whole || i < count) {
      Pack<T, W> result{};
      KG_UNROLL for (u32 c = 0; c < W; ++c)
          result.set(c, rounded_sum<T>(sums.add(c, term_of(pack[i].get(c)))));
      store_pack<W>(to + i * pitch, result);
      sched_barrier();
    }
    from += lines * pitch;
    to += lines * pitch;
    sums.next_eight();
    KG_UNROLL for (u32 c = 0; c < W; ++c) sums.next_eight(c);
  }
};

/// scan_columns() by accesses of W elements.
template <u32 W, class T>
KG_DEVICE void scan_packs(const T* x, T* y, const scan_accumulator<T>* before, u64 outer, u64 inner,
                          const Parts& cut) {
  using Columns = ScanColumns<T, W>;
  const u64 packs = inner / W;
  for_each_index(outer * cut.parts * packs, [&](u64 i) KG_INLINE {
    const u64 task = i / packs, column = (i - task * packs) * W;
    const ListPart part(cut, task);
    const u64 start = (part.list * cut.n + part.first) * inner + column;
    Columns columns{x + start, y + start, inner, {}};
    KG_UNROLL for (u32 c = 0; c < W; ++c)
        columns.sums.begin(c, before ? before[(part.list * inner + column + c) * cut.parts + part.number]
                                     : scan_accumulator<T>(0));
    u64 left = part.count;
    for (; left >= Columns::lines; left -= Columns::lines) columns.template add_lines<true>(Columns::lines);
    if (left > 0) columns.template add_lines<false>(static_cast<u32>(left));
  });
}

}  // namespace detail

/// Prefix sums along columns: `outer` lists of lines of `inner` contiguous elements. `before` [outer, inner, parts] has the sum
/// of the parts before each part, or is null. A thread processes a few adjacent columns of a part, or one where lines are not
/// aligned.
template <class T>
KG_DEVICE void scan_columns(const T* x, T* y, const scan_accumulator<T>* before, u64 outer, u64 inner,
                            const Parts& cut) {
  constexpr u32 W = scan_columns(sizeof(T));
  if (inner % W == 0 && is_aligned<W>(x) && is_aligned<W>(y))
    detail::scan_packs<W>(x, y, before, outer, inner, cut);
  else
    detail::scan_packs<1>(x, y, before, outer, inner, cut);
}

}  // namespace kg
