#pragma once
/// Inclusive prefix sums along one dim of a contiguous tensor: `outer` lists of lines of `inner` contiguous
/// elements. If lists are few and long, each is divided into parts over many blocks, and the sums of a part start with the total of all
/// parts before it. Columns in parts are summed by launches before. For rows, scan_row_parts() does all: the first of its `words` counts
/// the parts that blocks have taken, those of the rows' ListSums follow, and all are 0 before.
#include "device/prefix.hpp"
#include "engines/accumulate.hpp"
#include "scan/list_sums.hpp"

#if KG_GPU
#include "scan/scan_gpu.hpp"
#else
#include "scan/scan_cpu.hpp"
#endif

namespace kg {

/// Computes sums[list][column][part], with `across` threads for adjacent columns. `lines` gives the stride
/// between lines of a part.
template <class T>
KG_DEVICE void sum_column_partials(const T* x, b64* sums, u64 outer, u64 inner, const Parts& cut,
                                   const Strided<1>& lines, u32 across) {
  using R = PartSum<T>;
  const u32 tile = column_tile<R, T>(across);
  const u64 tiles = (inner + tile - 1) / tile;
  for_each_span(outer * cut.parts * tiles, 1, [&](u64 number, u64) KG_INLINE {
    const u64 task = number / tiles, column = (number - task * tiles) * tile;
    const ListPart part(cut, task);
    scan_accumulator<T>* const to = reinterpret_cast<scan_accumulator<T>*>(sums);
    accumulate_columns<R>(x + (part.list * cut.n + part.first) * inner + column,
                          inner - column < tile ? static_cast<u32>(inner - column) : tile, 1, lines, 0,
                          static_cast<u32>(part.count), 0, across, [&](u32 first, u32 n, auto of) KG_INLINE {
                            for (u32 c = first; c < first + n; ++c)
                              to[(part.list * inner + column + c) * cut.parts + part.number] = of(c - first);
                          });
  });
}

/// Exclusive prefix sum of each list's `parts` sums, computed once because many columns may share a part.
/// `group_size` threads process one list.
template <class T>
KG_DEVICE void scan_partials(b64* sums, u64 lists, u32 parts, u32 group_size) {
  using A = scan_accumulator<T>;
  const Group group(group_size);
  for_each_span(lists, group.count, [&](u64 first, u64 count) KG_INLINE {
    const bool works = group.index < count;
    A* const list = reinterpret_cast<A*>(sums) + (first + group.index) * parts;
    A before = A(0);
    for (u32 begin = 0; begin < parts; begin += group.size) {
      const u32 part = begin + group.rank;
      const bool holds = works && part < parts;
      const Prefix<A> prefix = prefix_sum(group, holds ? list[part] : A(0));
      if (holds) list[part] = before + prefix.before;
      before = before + prefix.total;
    }
  });
}

/// y[i] is the sum of x[0] … x[i] of each column. `sums` has the total before each part.
template <class T>
KG_DEVICE void cumulate_columns(const T* x, T* y, const b64* sums, u64 outer, u64 inner, const Parts& cut) {
  scan_columns(x, y, reinterpret_cast<const scan_accumulator<T>*>(sums), outer, inner, cut);
}

}  // namespace kg
