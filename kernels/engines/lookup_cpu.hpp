#pragma once
#include "device/prefetch.hpp"
#include "engines/index_check.hpp"
#include "engines/rows_cpu.hpp"
#include "engines/stream_cpu.hpp"

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

}  // namespace detail

template <class T, class Id>
KG_DEVICE void look_up(const T* x, const Id* ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                       const IndexCheck& check) {
  const i64 x_step = layout.stride[0][0], id_step = layout.stride[1][0];
  const detail::Share part = detail::share(layout.elements);
  const bool streamed = detail::streams(y, layout.elements);
  detail::for_each_row(
      layout, part.first, part.last, [&](u64 index, u64 count, const Position<2>& at) KG_INLINE {
        if (x_step == 0 && step == 1) prefetch_table(x + at.offset[0], check.size, count);
        detail::write(y + index, count, streamed, [&](T* target, u64 begin, u64 n) KG_INLINE {
          const i64 skipped = static_cast<i64>(begin);
          detail::look_up_row(x + at.offset[0] + skipped * x_step, x_step,
                              ids + at.offset[1] + skipped * id_step, id_step, target, n, step,
                              first + index + begin, check);
        });
      });
}

}  // namespace kg
