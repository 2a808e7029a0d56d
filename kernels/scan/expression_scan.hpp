#pragma once
/// Scans whose combination a manifest writes as an expression, along any dim of a contiguous tensor: lists of n elements that are
/// `inner` elements apart. Long lists are divided into parts, whose totals are computed first.
#include "device/prefix.hpp"
#include "engines/grid_stride.hpp"
#include "engines/spans.hpp"
#include "reduce/expression_reduction.hpp"

namespace kg {
namespace detail {

/// A State whose `+` is the combination, for prefix_sum().
template <class R>
struct ScanState {
  typename R::State value;
  KG_DEVICE explicit ScanState(int) : value(R::identity()) {}
  KG_DEVICE explicit ScanState(typename R::State value, bool) : value(value) {}
  friend KG_DEVICE ScanState operator+(ScanState a, ScanState b) {
    return ScanState(R::combine(a.value, b.value), true);
  }
};

}  // namespace detail

/// What scan_parts() stores: the total of each part, or all elements of the result.
enum class ScanPass { totals, elements };

/// Combines the elements of each part in order, by a group of `group_size` threads. `totals` is R::State [parts, lists].
/// ScanPass::totals writes each part's total; ScanPass::elements begins a part with that of all parts before (scan_totals).
template <class R, ScanPass pass, bool exclusive, bool reverse, class T, class Y>
KG_DEVICE void scan_parts(const T* x, Y* y, i64* totals, u64 lists, u64 n, u64 inner, u64 part, u32 parts,
                          u32 group_size) {
  using S = detail::ScanState<R>;
  const Group group(group_size);
  typename R::State* const of_parts = reinterpret_cast<typename R::State*>(totals);
  for_each_span(lists * parts, group.count, [&](u64 first, u64 tasks) KG_INLINE {
    const bool works = group.index < tasks;
    const u64 task = works ? first + group.index : first;
    // Neighbours take the same part of neighbouring lists, which are in one cache line where inner is not 1.
    const u64 number = task / lists, list = task - number * lists;
    const u64 begin = number * part, count = works && begin < n ? (n - begin < part ? n - begin : part) : 0;
    const u64 offset = list / inner * n * inner + list % inner;
    S carry(0);
    if (pass == ScanPass::elements && parts > 1) carry = S(of_parts[number * lists + list], true);
    // Groups of a block share barriers, so all take as many steps.
    for (u64 at = 0; at < part; at += group.size) {
      const u64 i = at + group.rank, k = begin + i;
      const bool holds = i < count;
      const u64 position = offset + (reverse ? n - 1 - k : k) * inner;
      const S own = holds ? S(R::of(x[position], 0), true) : S(0);
      const Prefix<S> prefix = prefix_sum(group, own);
      if (pass == ScanPass::elements && holds) {
        const S before = carry + prefix.before;
        y[position] =
            R::template finish<Y>((exclusive ? before : before + own).value, k + (exclusive ? 0 : 1));
      }
      carry = carry + prefix.total;
    }
    if (pass == ScanPass::totals && works && group.rank == 0) of_parts[number * lists + list] = carry.value;
  });
}

/// Replaces each part's total by that of all parts before it in its list. A thread takes a list.
template <class R>
KG_DEVICE void scan_totals(i64* totals, u64 lists, u32 parts) {
  using S = detail::ScanState<R>;
  typename R::State* const of_parts = reinterpret_cast<typename R::State*>(totals);
  for_each_index(lists, [&](u64 list) KG_INLINE {
    S before(0);
    for (u32 p = 0; p < parts; ++p) {
      typename R::State& total = of_parts[p * lists + list];
      const S sum = before + S(total, true);
      total = before.value;
      before = sum;
    }
  });
}

}  // namespace kg
