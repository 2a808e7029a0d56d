#pragma once
/// Reduces an expression of several inputs along some dims. `kept`, `reduced` and partial results are as in reduce.hpp.
#include "engines/spans.hpp"
#include "reduce/reduce.hpp"

#if KG_GPU
#include "reduce/inputs_gpu.hpp"
#else
#include "reduce/inputs_cpu.hpp"
#endif

namespace kg {

namespace detail {

/// Stores the State of an output, or its result where there is one part.
template <class R, class Y>
KG_DEVICE void put_state(const R& r, Y* y, b64* states, const Splits& parts, u64 output, u32 part, u64 count,
                         typename R::State state) {
  if (parts.all == 1)
    y[output] = r.template finish<Y>(state, count);
  else
    reinterpret_cast<typename R::State*>(states)[output * parts.all + parts.first + part] = state;
}

}  // namespace detail

/// One group of threads per output.
template <class R, class Y>
KG_DEVICE void reduce_input_rows(const R& r, Y* y, b64* states, const Strided<R::inputs>& kept,
                                 const Strided<R::inputs>& reduced, u64 count, u32 group_size,
                                 const Splits& parts) {
  using State = typename R::State;
  const Group group(group_size);
  for_each_span(
      static_cast<u64>(kept.elements) * parts.splits, group.count, [&](u64 first, u64 tasks) KG_INLINE {
        State state = r.identity();
        const Splits::Task task = parts.find(static_cast<u32>(first) + group.index);
        const bool works = group.index < tasks;
        if (works) {
          const Part range(reduced.elements, task.part, parts.splits);
          state = detail::reduce_elements(r, group, locate(kept, task.output).offset, reduced, range.first,
                                          range.last);
        }
        state = group_reduce(group, state, [&](State a, State b) KG_INLINE { return r.combine(a, b); });
        if (works && group.rank == 0)
          detail::put_state(r, y, states, parts, task.output, task.part, count, state);
      });
}

/// Columns: adjacent outputs, of which a block takes a tile at a time.
template <class R, class Y>
KG_DEVICE void reduce_input_columns(const R& r, Y* y, b64* states, const Strided<R::inputs>& kept,
                                    const Strided<R::inputs>& reduced, u64 count, u32 across,
                                    const Splits& parts) {
  const u32 columns = kept.dim[0].extent, tile = detail::tile_of_columns(r, across);
  const u32 tiles = (columns + tile - 1) / tile;
  const u64 tasks = static_cast<u64>(tiles) * divide(kept.elements, kept.dim[0]) * parts.splits;
  for_each_span(tasks, 1, [&](u64 number, u64) KG_INLINE {
    const Splits::Task task = parts.find(static_cast<u32>(number));
    const u32 line = tiles == 1 ? task.output : task.output / tiles;
    const u32 column = (task.output - line * tiles) * tile;
    const u32 output = line * columns + column, there = columns - column < tile ? columns - column : tile;
    const Part range(reduced.elements, task.part, parts.splits);
    detail::reduce_tile(r, locate(kept, output).offset, kept, reduced, range, there, across,
                        [&](u32 e, typename R::State state) KG_INLINE {
                          detail::put_state(r, y, states, parts, output + e, task.part, count, state);
                        });
  });
}

/// The second pass: combines each output's `all` States.
template <class R, class Y>
KG_DEVICE void reduce_input_combine(const R& r, const b64* states, Y* y, u64 outputs, u32 all, u64 count,
                                    u32 group_size) {
  using State = typename R::State;
  const Group group(group_size);
  const auto* state = reinterpret_cast<const State*>(states);
  for_each_span(outputs, group.count, [&](u64 first, u64 tasks) KG_INLINE {
    State total = r.identity();
    const u64 output = first + group.index;
    if (group.index < tasks)
      for (u32 i = group.rank; i < all; i += group.size) total = r.combine(total, state[output * all + i]);
    total = group_reduce(group, total, [&](State a, State b) KG_INLINE { return r.combine(a, b); });
    if (group.index < tasks && group.rank == 0) y[output] = r.template finish<Y>(total, count);
  });
}

}  // namespace kg
