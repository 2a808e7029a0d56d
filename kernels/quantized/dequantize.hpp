#pragma once
/// Rows of blocks converted to plain elements, bit for bit as ggml's dequantize_row_*, then rounded to their type.
#include "engines/index_check.hpp"
#include "engines/spans.hpp"
#include "quantized/block_row.hpp"
#include "quantized/column.hpp"

namespace kg {

namespace detail {

template <class W, class T>
KG_DEVICE void dequantize_rows(const W* x, const b8* ids, u32 id_type, T* y, u64 rows, u64 n, i64 row_bytes,
                               u64 part, const Group& group, const IndexCheck& check) {
  const u64 slices = n / slice_elements, parts = (slices + part - 1) / part;
  const bool is_wide = stores_wide(y, rows * n);
  for_each_span(rows * parts, group.count, [&](u64 task, u64 tasks) KG_INLINE {
    if (group.index >= tasks) return;
    const u64 mine = task + group.index, row = parts == 1 ? mine : mine / parts;
    const u64 begin = (mine - row * parts) * part, end = begin + part < slices ? begin + part : slices;
    const i64 position =
        ids ? check.resolve(load_index(ids, static_cast<IdType>(id_type), row), [&] { return row; })
            : static_cast<i64>(row);
    const W* from = reinterpret_cast<const W*>(reinterpret_cast<const u8*>(x) +
                                               (position < 0 ? 0 : position) * row_bytes);
    T* to = y + row * n;
    if (position >= 0) {
      dequantize_slices(group, from, begin, end, to, is_wide);
    } else {
      for (u64 i = begin * slice_elements + group.rank; i < end * slice_elements; i += group.size)
        to[i] = T{};
    }
  });
}

}  // namespace detail

/// y has `rows` contiguous rows of n elements of the given type. They are the rows of x selected by ids, or all rows in
/// order if ids is null; rows of x are `row_bytes` apart. A group of `threads` converts up to `part` slices of a
/// row at a time. Out-of-range ids, and the largest value of their type, give zeros.
template <class W>
KG_DEVICE void dequantize(const W* x, const b8* ids, u32 id_type, void* y, u32 type, u64 rows, u64 n,
                          i64 row_bytes, u64 part, u32 threads, b64* fault, u64 call, u64 operation,
                          u64 size) {
  const IndexCheck check(fault, call, operation, size, 1, rows);
  const Group group(threads);
  visit(static_cast<ActivationType>(type), [&](auto* of_type) KG_INLINE {
    detail::dequantize_rows(x, ids, id_type, static_cast<decltype(of_type)>(y), rows, n, row_bytes, part,
                            group, check);
  });
}

}  // namespace kg
