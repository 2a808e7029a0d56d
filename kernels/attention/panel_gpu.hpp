#pragma once
/// Panels of keys or values in a GPU block's shared memory.
#include "attention/semantics.hpp"
#include "device/async_copy.hpp"
#include "device/scaled_mfma.hpp"
#include "engines/panel_gpu.hpp"

namespace kg::detail {

/// Rows of k or v in global memory, for one head of one sequence.
template <class K>
struct KeyRows {
  const AttentionShape& shape;
  const AttentionStrides& strides;
  const K* data;           ///< key 0, or the head's first row in page 0
  const u32* block_table;  ///< the sequence's block table, for a paged cache
  u32* needs_recompute;    ///< in shared memory; set if a key's page is outside the cache

  template <class T>
  KG_DEVICE KeyRows(const AttentionHead<T, K>& head, const K* all, const AttentionStrides& strides,
                    u32* needs_recompute)
      : shape(head.all.shape),
        strides(strides),
        data(all + head.in_head(strides)),
        block_table(nullptr),
        needs_recompute(needs_recompute) {
    if (shape.page_rows)
      block_table = head.all.block_table + head.page_entry(0);
    else
      data += head.batch * strides.batch;
  }

  KG_DEVICE bool in_pages() const { return shape.page_rows != 0; }
  /// Key j of a paged cache; null if its page is invalid.
  KG_DEVICE const K* find(u32 j) const {
    const u32 page = block_table[j / shape.page_rows];
    if (page < shape.page_count) return data + page * strides.batch + (j % shape.page_rows) * strides.row;
    *needs_recompute = 1;
    return nullptr;
  }
  /// Key j; also null from `end` on.
  KG_DEVICE const K* row(u32 j, u32 end) const {
    return j >= end ? nullptr : in_pages() ? find(j) : data + static_cast<i64>(j) * strides.row;
  }
};

/// Whether rows of `width` elements consist of whole, aligned 16-byte accesses.
template <class T>
KG_DEVICE bool is_packed(const T* data, const AttentionStrides& strides, u32 width) {
  constexpr u32 pack = 16 / sizeof(T);
  return is_aligned<pack>(data) && attention_in_packs(strides, width, pack);
}

/// Elements [first, first + W) of a row; zeros from `width` on.
template <int W, class T>
KG_DEVICE Pack<T, W> load_part(const T* row, u32 first, u32 width) {
  return row && first < width ? load_pack<W>(row + first) : Pack<T, W>{};
}

/// Copies `keys` rows of up to `width` elements, from `first` to `end`, asynchronously into shared memory, in
/// lines of contiguous elements, zero-padded. Wait with async_copy_wait_all().
template <class Layout, u32 threads, u32 keys, u32 width, class K, class Rows>
KG_DEVICE void copy_rows(K* to, const Rows& rows, u32 first, u32 end) {
  // At least eight lines at a time, because the order of the packs of swizzled lines repeats every eight.
  constexpr u32 pack = 16 / sizeof(K), columns = width < threads / 8 * pack ? width : threads / 8 * pack,
                packs = columns / pack, rows_each = threads / packs, parts = width / columns;
  static_assert(threads % packs == 0, "a thread's packs begin at the same element of their lines");
  const u32 e = thread_index() % packs * pack, line = thread_index() / packs;
  bool wanted[parts];
  K* target[parts];
  KG_UNROLL for (u32 p = 0; p < parts; ++p) {
    wanted[p] = e + p * columns < rows.shape.width;
    target[p] = to + Layout::offset(line, e + p * columns);
  }
  // If `wanted` is false, nothing is read, whatever the address.
  const auto copy = [&](u32 i, const K* row, bool there) KG_INLINE {
    KG_UNROLL for (u32 p = 0; p < parts; ++p)
        async_copy(target[p] + i * rows_each * Layout::row_step, row + e + p * columns, wanted[p] && there);
  };
  if (rows.in_pages()) {
    KG_NO_UNROLL for (u32 i = 0; i < keys / rows_each; ++i) {
      const K* row = rows.row(first + line + i * rows_each, end);
      copy(i, row ? row : rows.data, row != nullptr);
    }
  } else {
    const K* row = rows.data + static_cast<i64>(first + line) * rows.strides.row;
    const i64 step = rows_each * rows.strides.row;
    if (end - first >= keys) {
      KG_UNROLL for (u32 i = 0; i < keys / rows_each; ++i, row += step) copy(i, row, true);
    } else {
      KG_UNROLL for (u32 i = 0; i < keys / rows_each; ++i, row += step)
          copy(i, row, first + line + i * rows_each < end);
    }
  }
}

/// `keys` rows of up to `width` elements in shared memory, in lines of contiguous elements, filled by
/// asynchronous copies if no conversion is needed. fetch() starts loading rows `first` to `end`, zero-padded.
/// commit() completes it; all threads must have finished reading the previous rows.
template <class K, class S, u32 threads, u32 keys, u32 width>
struct CopiedPanel {
  static constexpr u32 pack = 16 / sizeof(K), packs = width / pack;
  using Layout = PanelLayout<S, keys, width, true>;

  static constexpr bool fetches_whole = false;
  static KG_DEVICE bool is_whole() { return false; }

  S* to;
  u32 first = 0, end = 0;

  template <class Rows>
  KG_DEVICE CopiedPanel(S* to, const Rows&) : to(to) {}

  template <class Rows>
  KG_DEVICE void fetch(const Rows& rows, u32 first_key, u32 end_key) {
    first = first_key;
    end = end_key;
    if constexpr (same<S, K>) copy_rows<Layout, threads, keys, width>(to, rows, first, end);
  }

  template <class Rows>
  KG_DEVICE void commit(const Rows& rows, Unscaled&) const {
    async_copy_wait_all();  // also waits for the queries
    if constexpr (same<S, K>) return;
    const u32 row_elements = rows.shape.width;
    for (u32 p = thread_index(); p < keys * packs; p += threads) {
      const u32 j = p / packs, e = p % packs * pack;
      const K* row = rows.row(first + j, end);
      const Pack<K, pack> from = load_part<pack>(row, e, row_elements);
      KG_UNROLL for (u32 i = 0; i < pack; ++i) to[j * Layout::row_step + e + i] =
          to_multiplied<S>(from.get(static_cast<int>(i)));
    }
  }
};

/// CopiedPanel through registers. Lines are of contiguous elements or, if `transposed`, of contiguous keys.
template <class K, class S, u32 keys, u32 width, bool transposed>
struct RegisterPanel : PanelShare<K, S, transposed ? width : keys, transposed ? keys : width, true> {
  using Share = PanelShare<K, S, transposed ? width : keys, transposed ? keys : width, true>;

  static constexpr bool fetches_whole = true;
  KG_DEVICE bool is_whole() const { return whole; }

  S* to;
  bool whole;                ///< rows fill the panel's width, and 32-bit offsets reach all of its keys
  u32 offset[Share::packs];  ///< bytes from the panel's first key to this thread's packs

  template <class Rows>
  KG_DEVICE RegisterPanel(S* to, const Rows& rows) : Share(!transposed), to(to) {
    const u64 step = static_cast<u64>(rows.strides.row);
    whole = !rows.in_pages() && rows.shape.width == width && step < (u64{1} << 31) / (keys * sizeof(K));
    KG_UNROLL for (u32 p = 0; p < Share::packs; ++p) offset[p] =
        (key(p) * static_cast<u32>(step) + element(p)) * static_cast<u32>(sizeof(K));
  }

  template <class Rows>
  KG_DEVICE void fetch(const Rows& rows, u32 first, u32 end) {
    KG_UNROLL for (u32 p = 0; p < Share::packs; ++p) this->held[p] =
        load_part<Share::width>(rows.row(first + key(p), end), element(p), rows.shape.width);
  }
  /// fetch() for a `whole` panel whose keys all exist.
  template <class Rows>
  KG_DEVICE void fetch_whole(const Rows& rows, u32 first) {
    const K* const from = uniform_pointer(rows.data + static_cast<i64>(first) * rows.strides.row);
    KG_UNROLL for (u32 p = 0; p < Share::packs; ++p) {
      offset[p] = optimization_barrier(offset[p]);  // keeps it 32 bits wide; the access extends it
      this->held[p] = load_pack<Share::width>(
          reinterpret_cast<const K*>(reinterpret_cast<const char*>(from) + offset[p]));
    }
  }

  template <class Rows, class Scaling>
  KG_DEVICE void commit(const Rows&, Scaling& scaling) {
    if constexpr (same<K, S>) {
      KG_UNROLL for (auto& pack : this->held) {
        KG_UNROLL for (auto& word : pack.word) word = scaling.take(word);
      }
    }
    Share::store(to);
  }

 private:
  KG_DEVICE u32 key(u32 p) const { return transposed ? Share::term(p) : Share::row(p); }
  KG_DEVICE u32 element(u32 p) const { return transposed ? Share::row(p) : Share::term(p); }
};

}  // namespace kg::detail
