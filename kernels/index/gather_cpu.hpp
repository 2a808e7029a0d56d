#pragma once
#include "engines/copy_small_cpu.hpp"
#include "engines/copy_span.hpp"
#include "engines/spans.hpp"
#include "index/gather_block_cpu.hpp"

namespace kg {
namespace detail {

/// Gathers whole spans whose indices are `id_step` apart. The n-th is relative to x + n * x_step.
template <class T, class Id, class Copy>
KG_DEVICE void gather_some(const T* x, i64 x_step, const Id* ids, i64 id_step, T* y, u64 n, i64 step,
                           u64 first, u64 length, const IndexCheck& check, Copy copy) {
  constexpr u64 chunk = 32;  // few enough that the processor checks the next ones meanwhile
  for (u64 begin = 0; begin < n; begin += chunk) {
    const u64 end = n - begin < chunk ? n : begin + chunk;
    const bool are_indices = check.are_indices(ids + static_cast<i64>(begin) * id_step, id_step, end - begin);
    for (u64 i = begin; i < end; ++i) {
      const i64 at = static_cast<i64>(i);
      const Id id = ids[at * id_step];
      const i64 position =
          are_indices ? static_cast<i64>(id) : check.resolve(id, [&] { return first + i * length; });
      T* target = y + i * length;
      if (position >= 0)
        copy(x + at * x_step + position * step, target, length);
      else
        for (u64 k = 0; k < length; ++k) target[k] = T{};
    }
  }
}

template <class T, class Id>
KG_DEVICE void gather_elements(const T* x, const Id* ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                               const IndexCheck& check) {
  const GatherBlock block(layout);
  const Strided<2> outer = block.outer(layout);
  const SpanStores stores(layout.elements * sizeof(T));
  const u64 most = block.count / block.inner, blocks = grid_size(), number = block_index();
  const u64 begin = outer.elements * number / blocks, end = outer.elements * (number + 1) / blocks;
  const i64 x_step = outer.stride[0][0], id_step = outer.stride[1][0];
  for_each_row(outer, begin, end, [&](u64 index, u64 row, const Position<2>& at) KG_INLINE {
    i64 source[GatherBlock::most];
    T buffer[GatherBlock::most];
    bool are_indices = false;
    if (x_step == 0 && step == 1) prefetch_table(x + at.offset[0], check.size, row);
    for (u64 i = 0; i < row; i += most) {
      const u64 n = (row - i < most ? row - i : most) * block.inner, begin = (index + i) * block.inner;
      const T* from = x + at.offset[0] + static_cast<i64>(i) * x_step;
      const Id* id = ids + at.offset[1] + static_cast<i64>(i) * id_step;
      if (i == 0 || id_step != 0) are_indices = block.find(id, n, step, check, source);
      T* to = stores.streamed ? buffer : y + begin;
      for (u64 k = 0; k < n; ++k) {
        if (are_indices) {
          to[k] = from[source[k]];
        } else {
          const i64 there = check.resolve(id[block.id[k]], [&] { return first + begin + k; });
          to[k] = there >= 0 ? from[block.x[k] + there * step] : T{};
        }
      }
      if (stores.streamed) stream_span(buffer, y + begin, n);
    }
  });
}

/// Whether all rows of a layout have the same few indices, all of which are valid: they are checked once, not
/// for each row.
template <class Id>
KG_DEVICE bool share_positions(const Id* ids, const Strided<2>& runs, const IndexCheck& check) {
  constexpr u32 few = 256;
  for (u32 d = 1; d < runs.rank; ++d)
    if (runs.stride[1][d] != 0) return false;
  const u32 count = runs.dim[0].extent;
  return runs.rank > 1 && count <= few && check.are_indices(ids, runs.stride[1][0], count);
}

template <class T, class Id>
KG_DEVICE void gather_typed_spans(const T* x, const Id* ids, T* y, const Strided<2>& runs, i64 step,
                                  u64 first, u64 length, u32 part, const IndexCheck& check) {
  const SpanStores stores(runs.elements * length * sizeof(T));
  const u64 parts = (length + part - 1) / part;
  if (parts > 1) {
    for_each_span(runs.elements * parts, 1, [&](u64 task, u64) KG_INLINE {
      const u64 run = task / parts, begin = task % parts * part;
      const Position<2> at = locate(runs, static_cast<u32>(run));
      gather_some(x + at.offset[0] + begin, 0, ids + at.offset[1], 0, y + run * length + begin, 1, step,
                  first + run * length, length - begin < part ? length - begin : part, check,
                  [&](const T* from, T* to, u64 n) KG_INLINE { store_span(from, to, n, stores); });
    });
    return;
  }
  const auto copy_runs = [&](auto copy) KG_INLINE {
    const u64 blocks = grid_size(), block = block_index();
    const u64 begin = runs.elements * block / blocks, end = runs.elements * (block + 1) / blocks;
    const i64 x_step = runs.stride[0][0], id_step = runs.stride[1][0];
    if (begin < end && share_positions(ids, runs, check)) {
      for_each_row(runs, begin, end, [&](u64 run, u64 count, const Position<2>& at) KG_INLINE {
        const T* from = x + at.offset[0];
        T* to = y + run * length;
        for (i64 i = 0; i < static_cast<i64>(count); ++i, to += length)
          copy(from + i * x_step + static_cast<i64>(ids[at.offset[1] + i * id_step]) * step, to, length);
      });
      return;
    }
    for_each_row(runs, begin, end, [&](u64 run, u64 count, const Position<2>& at) KG_INLINE {
      gather_some(x + at.offset[0], x_step, ids + at.offset[1], id_step, y + run * length, count, step,
                  first + run * length, length, check, copy);
    });
  };
  constexpr u64 few = 1024 / sizeof(T);  // too short for non-temporal stores of whole lines
  if (length < few)
    copy_runs([](const T* from, T* to, u64 n) KG_INLINE { copy_few(from, to, n); });
  else
    copy_runs([&](const T* from, T* to, u64 n) KG_INLINE { store_span(from, to, n, stores); });
}

}  // namespace detail

template <class T>
KG_DEVICE void gather(const T* x, const Ids& ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                      const GatherRows&, const IndexCheck& check) {
  ids.typed([&](const auto* typed)
                KG_INLINE { detail::gather_elements(x, typed, y, layout, step, first, check); });
}

template <class T>
KG_DEVICE void gather_spans(const T* x, const Ids& ids, T* y, const Strided<2>& spans, i64 step, u64 first,
                            u64 length, u32 part, u32, const IndexCheck& check) {
  ids.typed([&](const auto* typed) KG_INLINE {
    detail::gather_typed_spans(x, typed, y, spans, step, first, length, part, check);
  });
}

}  // namespace kg
