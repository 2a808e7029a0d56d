#pragma once
#include "device/prefetch.hpp"
#include "engines/copy_few_cpu.hpp"
#include "engines/copy_run.hpp"
#include "engines/index_check.hpp"
#include "engines/rows_cpu.hpp"
#include "engines/stream_cpu.hpp"
#include "engines/tasks.hpp"

namespace kg {
namespace detail {

/// One row's part of look_up; y may be a buffer.
template <class T, class Id>
KG_DEVICE void look_up_row(const T* x, i64 x_step, const Id* ids, i64 id_step, T* y, u64 n, i64 step,
                           u64 first, const IndexCheck& check) {
  constexpr u64 chunk = 32;  // few enough for the processor to check the next ones meanwhile
  for (u64 begin = 0; begin < n; begin += chunk) {
    const u64 end = n - begin < chunk ? n : begin + chunk;
    if (id_step == 1) prefetch_next_page(ids + begin, chunk);
    if (!check.are_places(ids + static_cast<i64>(begin) * id_step, id_step, end - begin)) {
      for (u64 i = begin; i < end; ++i) {
        const i64 at = static_cast<i64>(i),
                  place = check.resolve(ids[at * id_step], [&] { return first + i; });
        y[i] = place >= 0 ? x[at * x_step + place * step] : T{};
      }
    } else if (x_step == 0 && id_step == 1 && step == 1) {
      for (u64 i = begin; i < end; ++i) y[i] = x[static_cast<i64>(ids[i])];
    } else {
      for (u64 i = begin; i < end; ++i) {
        const i64 at = static_cast<i64>(i);
        y[i] = x[at * x_step + static_cast<i64>(ids[at * id_step]) * step];
      }
    }
  }
}

/// Some runs that are whole, whose indices lie `id_step` apart; what the n-th is made of begins at x + n * x_step.
template <class T, class Id, class Copy>
KG_DEVICE void look_up_some(const T* x, i64 x_step, const Id* ids, i64 id_step, T* y, u64 n, i64 step,
                            u64 first, u64 length, const IndexCheck& check, Copy copy) {
  constexpr u64 chunk = 32;  // as above
  for (u64 begin = 0; begin < n; begin += chunk) {
    const u64 end = n - begin < chunk ? n : begin + chunk;
    const bool places = check.are_places(ids + static_cast<i64>(begin) * id_step, id_step, end - begin);
    for (u64 i = begin; i < end; ++i) {
      const i64 at = static_cast<i64>(i);
      const Id id = ids[at * id_step];
      const i64 place = places ? static_cast<i64>(id) : check.resolve(id, [&] { return first + i * length; });
      T* target = y + i * length;
      if (place >= 0)
        copy(x + at * x_step + place * step, target, length);
      else
        for (u64 k = 0; k < length; ++k) target[k] = T{};
    }
  }
}

}  // namespace detail

template <class T, class Id>
KG_DEVICE void look_up(const T* x, const Id* ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                       const LookupRows& rows, const IndexCheck& check) {
  const i64 x_step = layout.stride[0][0], id_step = layout.stride[1][0];
  const detail::Share part = detail::share(layout.elements);
  const bool streamed = detail::streams(y, u64{rows.count} * layout.elements);
  constexpr u32 few = 64;
  const bool is_short = layout.dim[0].extent < few;
  for (u32 row = 0; row < rows.count; ++row, x += rows.x_step, y += rows.y_step)
    detail::for_each_row(
        layout, part.first, part.last, [&](u64 index, u64 count, const Position<2>& at) KG_INLINE {
          if (is_short) {
            const T* from = x + at.offset[0];
            const Id* id = ids + at.offset[1];
            for (u64 i = index; i < index + count; ++i, from += x_step, id += id_step) {
              const i64 place = check.resolve(*id, [&] { return first + i; });
              y[i] = place >= 0 ? from[place * step] : T{};
            }
            return;
          }
          if (x_step == 0 && step == 1) prefetch_table(x + at.offset[0], check.size, count);
          detail::write(y + index, count, streamed, [&](T* target, u64 begin, u64 n) KG_INLINE {
            const i64 skipped = static_cast<i64>(begin);
            detail::look_up_row(x + at.offset[0] + skipped * x_step, x_step,
                                ids + at.offset[1] + skipped * id_step, id_step, target, n, step,
                                first + index + begin, check);
          });
        });
}

template <class T, class Id>
KG_DEVICE void look_up_runs(const T* x, const Id* ids, T* y, const Strided<2>& runs, i64 step, u64 first,
                            u64 length, u32 part, u32, const IndexCheck& check) {
  const RunStores stores(runs.elements * length * sizeof(T));
  const u64 parts = (length + part - 1) / part;
  if (parts > 1) {
    for_each_run(runs.elements * parts, 1, [&](u64 task, u64) KG_INLINE {
      const u64 run = task / parts, begin = task % parts * part;
      const Position<2> at = locate(runs, static_cast<u32>(run));
      detail::look_up_some(x + at.offset[0] + begin, 0, ids + at.offset[1], 0, y + run * length + begin, 1,
                           step, first + run * length, length - begin < part ? length - begin : part, check,
                           [&](const T* from, T* to, u64 n) KG_INLINE { store_run(from, to, n, stores); });
    });
    return;
  }
  const auto copy_runs = [&](auto copy) KG_INLINE {
    const u64 blocks = grid_size(), block = block_index();
    detail::for_each_row(runs, runs.elements * block / blocks, runs.elements * (block + 1) / blocks,
                         [&](u64 run, u64 count, const Position<2>& at) KG_INLINE {
                           detail::look_up_some(x + at.offset[0], runs.stride[0][0], ids + at.offset[1],
                                                runs.stride[1][0], y + run * length, count, step,
                                                first + run * length, length, check, copy);
                         });
  };
  constexpr u64 few = 1024 / sizeof(T);  // of which too little is whole lines
  if (length < few)
    copy_runs([](const T* from, T* to, u64 n) KG_INLINE { detail::copy_few(from, to, n); });
  else
    copy_runs([&](const T* from, T* to, u64 n) KG_INLINE { store_run(from, to, n, stores); });
}

}  // namespace kg
