#pragma once
#include "device/contiguous.hpp"
#include "device/pack.hpp"
#include "device/prefix.hpp"
#include "engines/grid_stride.hpp"
#include "engines/spans.hpp"
#include "engines/turn.hpp"
#include "scan/list_sums.hpp"

namespace kg {

namespace detail {

/// W adjacent elements of a row, or of a part of one, at a time. Accesses are aligned: the first begins before the row.
template <class T, u32 W>
struct ScanSpan {
  const T* from;
  T* to;
  u64 count;
  u32 outside;  ///< elements of the first access that are before the row

  KG_DEVICE ScanSpan(const T* from, T* to, u64 count)
      : from(from),
        to(to),
        count(count),
        outside(static_cast<u32>(reinterpret_cast<u64>(from) / sizeof(T) % W)) {}

  /// The elements of access `i`; those outside are T{}.
  KG_DEVICE void load(u64 i, T (&value)[W]) const {
    const i64 at = position(i);
    if (is_whole(at)) {
      load_contiguous<W>(from + at, value);
    } else {
      KG_UNROLL for (u32 e = 0; e < W; ++e) value[e] = is_inside(at + e) ? from[at + e] : T{};
    }
  }
  KG_DEVICE void store(u64 i, const T (&value)[W]) const {
    const i64 at = position(i);
    if (is_whole(at)) {
      store_contiguous<W>(to + at, value);
    } else {
      KG_UNROLL for (u32 e = 0; e < W; ++e) if (is_inside(at + e)) to[at + e] = value[e];
    }
  }

 private:
  KG_DEVICE i64 position(u64 i) const { return static_cast<i64>(i * W) - outside; }
  KG_DEVICE bool is_inside(i64 at) const { return at >= 0 && static_cast<u64>(at) < count; }
  KG_DEVICE bool is_whole(i64 at) const { return at >= 0 && static_cast<u64>(at) + W <= count; }
};

/// Prefix sums of a part of a row, in the registers of a group, scan_held() accesses per thread at most. A wave takes a contiguous range of
/// them, its lanes consecutive ones.
template <class T, u32 W>
KG_DEVICE void scan_held_part(const Group& group, const ScanSpan<T, W>& span, u32 part,
                              const ListSums<scan_accumulator<T>>& sums) {
  using A = scan_accumulator<T>;
  constexpr u32 most = scan_held(sizeof(T));
  KG_SHARED Words<A> of_wave[max_waves];
  const u32 lanes = group.size < wave_size() ? group.size : wave_size(), waves = group.size / lanes;
  const u32 lane = group.rank & (lanes - 1), wave = group.rank / lanes;
  const u32 each = (span.outside + static_cast<u32>(span.count) + W * group.size - 1) / (W * group.size);
  const u32 first = wave * each * lanes + lane;
  Pack<T, W> held[most]{};
  A total[most];
  KG_UNROLL for (u32 k = 0; k < most; ++k) {
    T value[W] = {};
    if (k < each) span.load(first + k * lanes, value);
    KG_UNROLL for (u32 e = 0; e < W; ++e) held[k].set(static_cast<int>(e), value[e]);
  }
  KG_UNROLL for (u32 k = 0; k < most; ++k) {
    total[k] = term_of(held[k].get(0));
    KG_UNROLL for (u32 e = 1; e < W; ++e) total[k] = total[k] + term_of(held[k].get(static_cast<int>(e)));
  }
  KG_NO_UNROLL for (u32 distance = 1; distance < lanes; distance *= 2) {
    KG_UNROLL for (u32 k = 0; k < most; ++k) {
      const A earlier = lane_value(total[k], lane >= distance ? group.lane - distance : group.lane);
      if (lane >= distance) total[k] = earlier + total[k];
    }
  }
  // Now the sums before each access, in its wave.
  A before = A(0);
  KG_UNROLL for (u32 k = 0; k < most; ++k) {
    const A of_lanes = lane_value(total[k], group.lane | (lanes - 1));
    const A earlier = lane_value(total[k], lane > 0 ? group.lane - 1 : group.lane);
    total[k] = before + (lane > 0 ? earlier : A(0));
    before = before + of_lanes;
  }
  if (group.index == 0 && lane == 0) of_wave[wave] = bit_cast<Words<A>>(before);
  sync();
  A sum = A(0), earlier = A(0);
  for (u32 w = 0; w < waves; ++w) {
    if (w == wave) earlier = sum;
    sum = sum + bit_cast<A>(of_wave[w]);
  }
  const A base = sums.exchange(group, part, sum) + earlier;
  KG_UNROLL for (u32 k = 0; k < most; ++k) {
    if (k >= each) continue;
    const A start = base + total[k];
    A local = A(0);
    T value[W];
    KG_UNROLL for (u32 e = 0; e < W; ++e) {
      const A term = term_of(held[k].get(static_cast<int>(e)));
      local = e == 0 ? term : local + term;
      value[e] = rounded_sum<T>(start + local);
    }
    span.store(first + k * lanes, value);
  }
}

}  // namespace detail

/// Prefix sums along rows of contiguous elements, one group of threads per row: each thread sums a few contiguous elements, and the
/// group computes the prefix sums of its threads.
template <class T>
KG_DEVICE void scan_rows(const T* x, T* y, u64 rows, u64 n, u32 group_size) {
  using A = scan_accumulator<T>;
  constexpr u32 W = scan_neighbours(sizeof(T));
  const Group group(group_size);
  for_each_span(rows, group.count, [&](u64 first, u64 tasks) KG_INLINE {
    const bool works = group.index < tasks;
    const u64 begin = (works ? first + group.index : first) * n;
    const detail::ScanSpan<T, W> span(x + begin, y + begin, works ? n : 0);
    // All groups of a block must take the same number of iterations, because they share barriers.
    const u64 step = static_cast<u64>(group.size) * W, steps = (n + W - 1 + step - 1) / step;
    T value[W], following[W];
    span.load(group.rank, following);
    A carry = A(0);
    for (u64 s = 0; s < steps; ++s) {
      const u64 access = s * group.size + group.rank;
      KG_UNROLL for (u32 e = 0; e < W; ++e) value[e] = following[e];
      // The next iteration's loads are in flight during this one's barriers.
      if (s + 1 < steps) span.load(access + group.size, following);
      A sum[W];
      sum[0] = term_of(value[0]);
      KG_UNROLL for (u32 e = 1; e < W; ++e) sum[e] = sum[e - 1] + term_of(value[e]);
      const Prefix<A> prefix = prefix_sum(group, sum[W - 1]);
      const A base = carry + prefix.before;
      KG_UNROLL for (u32 e = 0; e < W; ++e) value[e] = rounded_sum<T>(base + sum[e]);
      span.store(access, value);
      carry = carry + prefix.total;
    }
  });
}

/// The same of rows in parts, a block per part: see scan.hpp. Parts have at most scan_part() elements.
template <class T>
KG_DEVICE void scan_row_parts(const T* x, T* y, b64* words, u64 rows, const Parts& cut) {
  constexpr u32 W = scan_neighbours(sizeof(T));
  const Group group(block_threads);
  for_each_in_turn(reinterpret_cast<u32*>(words), rows * cut.parts, [&](u32 task) KG_INLINE {
    const ListPart part(cut, task);
    const u64 first = part.list * cut.n + part.first;
    const detail::ScanSpan<T, W> span(x + first, y + first, group.index == 0 ? part.count : 0);
    detail::scan_held_part(group, span, static_cast<u32>(part.number),
                           ListSums<scan_accumulator<T>>(words + 1, cut, part.list));
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
