#pragma once
/// What a block of a GPU holds of keys, or of their values, while it works on one tile of queries.
#include "device/copy_ahead.hpp"
#include "engines/attention.hpp"
#include "engines/panel_gpu.hpp"

namespace kg::detail {

/// Rows of k or v in memory, of one head of one sequence.
template <class T, class K>
struct KeyRows {
  const AttentionHead<T, K>& head;
  const AttentionRows& strides;
  const K* data;  ///< where key 0 begins, unless it is paged
  i64 step;       ///< from key to key
  bool aligned;   ///< rows are whole accesses of 16 bytes
  bool paged;
  u32* spoilt;  ///< in shared memory: set where a key's page is outside the cache

  KG_DEVICE KeyRows(const AttentionHead<T, K>& head, const K* all, const AttentionRows& strides, u32* spoilt)
      : head(head),
        strides(strides),
        data(all),
        step(strides.row),
        paged(head.all.shape.page_rows != 0),
        spoilt(spoilt) {
    constexpr i64 pack = 16 / sizeof(K);
    aligned = is_aligned<pack>(all) &&
              ((strides.batch | strides.head | strides.row | head.all.shape.width) & (pack - 1)) == 0;
    if (!paged) data += head.place(strides, 0);
  }

  /// Where key j begins, in pages; null where it lies nowhere.
  KG_DEVICE const K* find(u32 j) const {
    const u32 page = head.all.pages[head.page_entry(j)];
    if (page < head.all.shape.page_count) return data + head.in_page(strides, page, j);
    *spoilt = 1;
    return nullptr;
  }
  /// Where key j begins; null from `end` on, too.
  KG_DEVICE const K* row(u32 j, u32 end) const {
    return j >= end ? nullptr : paged ? find(j) : data + static_cast<i64>(j) * step;
  }
};

/// Elements [first, first + W) of a row, zeros from `width` on.
template <int W, class T>
KG_DEVICE Pack<T, W> load_part(const T* row, u32 first, u32 width, bool aligned) {
  Pack<T, W> pack{};
  if (!row) return pack;
  if (aligned) return first < width ? load_pack<W>(row + first) : pack;
  KG_UNROLL for (u32 e = 0; e < W; ++e) {
    if (first + e < width) pack.set(static_cast<int>(e), row[first + e]);
  }
  return pack;
}

/// `keys` rows of up to `width` elements in shared memory, as lines of neighbouring elements: copied past the registers
/// where the target and the operand allow that. fetch() has the rows from `first` to `end` on their way, zeros after
/// them; place() puts them there, when all threads have read what was there before.
template <class K, class S, u32 threads, u32 keys, u32 width>
struct CopiedPanel {
  static constexpr u32 pack = 16 / sizeof(K), packs = width / pack;
  using Layout = PanelLayout<S, keys, width, true>;

  S* to;
  u32 first = 0, end = 0;

  KG_DEVICE explicit CopiedPanel(S* to) : to(to) {}

  template <class Rows>
  KG_DEVICE void fetch(const Rows& rows, u32 first_key, u32 end_key) {
    first = first_key;
    end = end_key;
    if constexpr (same<S, K>) {
      if (!rows.aligned) return;
      static_assert(threads % packs == 0, "a thread's packs begin at one element of their rows");
      constexpr u32 rows_each = threads / packs;
      const u32 e = thread_index() % packs * pack, line = thread_index() / packs;
      const bool wanted = e < rows.head.all.shape.width;
      S* target = to + line * Layout::row_step + e;
      // Where nothing is wanted nothing is read, whatever the address.
      const auto copy = [&](u32 i, const K* row, bool there) KG_INLINE {
        copy_ahead(target + i * rows_each * Layout::row_step, row + e, wanted && there);
      };
      if (rows.paged) {
        KG_NO_UNROLL for (u32 i = 0; i < keys / rows_each; ++i) {
          const K* row = rows.row(first + line + i * rows_each, end);
          copy(i, row ? row : rows.data, row != nullptr);
        }
      } else {
        const K* row = rows.data + static_cast<i64>(first + line) * rows.step;
        KG_UNROLL for (u32 i = 0; i < keys / rows_each; ++i) {
          copy(i, row, first + line + i * rows_each < end);
          row += rows_each * rows.step;
        }
      }
    }
  }

  template <class Rows>
  KG_DEVICE void place(const Rows& rows) const {
    if (same<S, K> && rows.aligned) return await_copies();
    const u32 row_elements = rows.head.all.shape.width;
    for (u32 p = thread_index(); p < keys * packs; p += threads) {
      const u32 j = p / packs, e = p % packs * pack;
      const K* row = rows.row(first + j, end);
      const Pack<K, pack> from = load_part<pack>(row, e, row_elements, rows.aligned);
      KG_UNROLL for (u32 i = 0; i < pack; ++i) to[j * Layout::row_step + e + i] =
          to_multiplied<S>(from.get(static_cast<int>(i)));
    }
  }
};

/// The same by way of registers. Lines are of neighbouring elements, or, where `turned`, of neighbouring keys.
template <class K, class S, u32 keys, u32 width, bool turned>
struct HeldPanel : PanelShare<K, S, turned ? width : keys, turned ? keys : width, true> {
  using Share = PanelShare<K, S, turned ? width : keys, turned ? keys : width, true>;

  S* to;

  KG_DEVICE explicit HeldPanel(S* to) : Share(!turned), to(to) {}

  template <class Rows>
  KG_DEVICE void fetch(const Rows& rows, u32 first, u32 end) {
    KG_UNROLL for (u32 p = 0; p < Share::packs; ++p) {
      const u32 j = first + (turned ? Share::term(p) : Share::row(p)),
                e = turned ? Share::row(p) : Share::term(p);
      this->held[p] = load_part<Share::width>(rows.row(j, end), e, rows.head.all.shape.width, rows.aligned);
    }
  }

  template <class Rows>
  KG_DEVICE void place(const Rows&) const {
    Share::store(to);
  }
};

}  // namespace kg::detail
