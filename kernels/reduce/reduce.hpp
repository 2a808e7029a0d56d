#pragma once
/// Reduces a view along some of its dims. `kept` enumerates the outputs and `reduced` the elements of one
/// output. If there are too few outputs to occupy a device, each is divided into `splits` parts, whose States
/// go to `states` and are combined by a second kernel. The order is fixed, so results are deterministic.
#include "engines/accumulate.hpp"
#include "engines/spans.hpp"
#include "reduce/reduction.hpp"

namespace kg {

/// Part `part` of `parts` of n elements.
struct Part {
  u32 first, last;
  KG_DEVICE Part(u32 n, u32 part, u32 parts) : first(0), last(n) {
    if (parts == 1) return;  // avoids a slow integer division on GPUs
    const u32 each = n / parts, rest = n - each * parts;
    first = part * each + (part < rest ? part : rest);
    last = first + each + (part < rest ? 1 : 0);
  }
};

/// The reduction, with a check that the caller's size of its State is right.
template <template <class> class Reduction, class T>
struct Planned : Reduction<T> {
  static_assert(sizeof(typename Reduction<T>::State) ==
                    state_bytes(Reduction<T>::kind, sizeof(T), !is_integer<T>),
                "plan/reduce.hpp and the State differ");
};

/// The parts of an output: this launch computes `splits` of `all`, starting at part `first`; the first
/// element of an output that it reads has index `index`. If `all` is 1, results go to y.
struct Splits {
  u32 splits, first, all, index;

  KG_DEVICE Splits(u32 splits, u32 first, u32 all, u32 index)
      : splits(splits), first(first), all(all), index(index) {}

  struct Task {
    u32 output, part;
  };
  /// The output and part of a task. Avoids a division, which is slow on GPUs, in the common case of one part.
  KG_DEVICE Task find(u32 task) const {
    return splits == 1 ? Task{task, 0} : Task{task / splits, task % splits};
  }

  template <class R, class Results>
  KG_DEVICE void put(const Results& y, b64* states, u64 output, u32 part, u64 count,
                     typename R::State state) const {
    put_each<R>(y, states, output, 1, part, count, [&](u32) KG_INLINE { return state; });
  }
  /// put() for n consecutive outputs, where of(k) is the State of the k-th. Two separate loops, so that a CPU
  /// vectorizes both.
  template <class R, class Results, class Of>
  KG_DEVICE void put_each(const Results& y, b64* states, u64 output, u32 n, u32 part, u64 count,
                          Of of) const {
    if (all == 1)
      for (u32 k = 0; k < n; ++k) store_result<R>(y, output + k, of(k), count);
    else
      for (u32 k = 0; k < n; ++k)
        reinterpret_cast<typename R::State*>(states)[(output + k) * all + first + part] = of(k);
  }
};

/// One group of threads per output: for rows, and for every view that has no special form.
template <template <class> class Reduction, class T, class Results>
KG_DEVICE void reduce_rows(const T* x, const Results& y, b64* states, const Strided<1>& kept,
                           const Strided<1>& reduced, u64 count, u32 group_size, const Splits& parts) {
  using R = Planned<Reduction, T>;
  const auto put = [&](u64 first, u32 n, auto of)
                       KG_INLINE { parts.template put_each<R>(y, states, first, n, 0, count, of); };
  if (parts.splits == 1 && accumulate_short_rows<R>(x, kept, reduced, put)) return;
  const Group group(group_size);
  for_each_span(
      static_cast<u64>(kept.elements) * parts.splits, group.count, [&](u64 first, u64 tasks) KG_INLINE {
        typename R::State state = R::identity();
        const Splits::Task task = parts.find(static_cast<u32>(first) + group.index);
        const bool works = group.index < tasks;
        if (works) {
          const Part range(reduced.elements, task.part, parts.splits);
          state = accumulate<R>(group, x + locate(kept, task.output).offset[0], reduced, range.first,
                                range.last, parts.index);
        }
        state = group_reduce(group, state, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
        if (works && group.rank == 0) parts.template put<R>(y, states, task.output, task.part, count, state);
      });
}

/// Columns: adjacent outputs are contiguous in x (on a CPU, any stride). `across` threads process adjacent
/// columns.
template <template <class> class Reduction, class T, class Results>
KG_DEVICE void reduce_columns(const T* x, const Results& y, b64* states, const Strided<1>& kept,
                              const Strided<1>& reduced, u64 count, u32 across, const Splits& parts) {
  using R = Planned<Reduction, T>;
  const u32 columns = kept.dim[0].extent, tile = column_tile<R, T>(across);
  const u32 tiles = (columns + tile - 1) / tile;
  const u64 tasks = static_cast<u64>(tiles) * divide(kept.elements, kept.dim[0]) * parts.splits;
  for_each_span(tasks, 1, [&](u64 number, u64) KG_INLINE {
    const Splits::Task task = parts.find(static_cast<u32>(number));
    const u32 line = tiles == 1 ? task.output : task.output / tiles;
    const u32 column = (task.output - line * tiles) * tile;
    const u32 output = line * columns + column;
    const Part range(reduced.elements, task.part, parts.splits);
    accumulate_columns<R>(
        x + locate(kept, output).offset[0], columns - column < tile ? columns - column : tile,
        kept.stride[0][0], reduced, range.first, range.last, parts.index, across,
        [&](u32 first, u32 n, auto of)
            KG_INLINE { parts.template put_each<R>(y, states, output + first, n, task.part, count, of); });
  });
}

/// The second pass: combines each output's `all` States.
template <template <class> class Reduction, class T, class Results>
KG_DEVICE void reduce_combine(const b64* states, const Results& y, u64 outputs, u32 all, u64 count,
                              u32 group_size) {
  using R = Planned<Reduction, T>;
  const Group group(group_size);
  const auto* state = reinterpret_cast<const typename R::State*>(states);
  for_each_span(outputs, group.count, [&](u64 first, u64 tasks) KG_INLINE {
    typename R::State total = R::identity();
    const u64 output = first + group.index;
    if (group.index < tasks)
      for (u32 i = group.rank; i < all; i += group.size) total = R::combine(total, state[output * all + i]);
    total = group_reduce(group, total, [](auto a, auto b) KG_INLINE { return R::combine(a, b); });
    if (group.index < tasks && group.rank == 0) store_result<R>(y, output, total, count);
  });
}

}  // namespace kg
