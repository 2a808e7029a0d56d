#pragma once
#include "attention/semantics.hpp"

namespace kg::detail {

/// A tile without pointers, for shared memory.
struct AttentionTileData {
  u32 batch, head, kv_head, queries, keys;  ///< as in AttentionHead
  f32 slope;
  u32 first_query, first_head, count, split;  ///< as in AttentionTile
  KeyRange range;
};

/// A block's work item: up to rows_each rows of q, and the keys of one split that any of them sees. The rows are of one sequence
/// and of query heads that share a key head: row r of these is query r / group of head r % group. There are
/// attention_tiles(shape, rows_each) items.
template <class T, class K>
struct AttentionTile {
  AttentionHead<T, K> sequence;  ///< with the first of the heads
  u32 first_query, first_head;   ///< of row 0; heads are counted from the sequence's first
  u32 count;                     ///< rows
  u32 split;
  KeyRange keys{0, 0, 0, 0};

  /// Tiles that share keys are adjacent. The last rows come first: with causal masks they see the most keys.
  KG_DEVICE AttentionTile(const Attention<T, K>& x, u32 rows_each, u64 index)
      : AttentionTile(x, TileCoordinates(x.shape, rows_each, index), rows_each) {}
  /// A tile from stored data.
  KG_DEVICE AttentionTile(const Attention<T, K>& x, const AttentionTileData& n)
      : sequence(x, n.batch, n.head, n.kv_head, n.queries, n.keys, n.slope),
        first_query(n.first_query),
        first_head(n.first_head),
        count(n.count),
        split(n.split),
        keys(n.range) {}
  /// The index of the tile that block `number` takes. With a causal mask, tiles are ordered by their number of keys, the most
  /// first, across the heads: a long tile that starts last would leave the rest of the GPU idle. Heads are ordered together as far
  /// as their keys and values fit the L2. Without such a mask, or with so many tiles that the last ones hardly count, the order
  /// is that of the indices.
  static KG_DEVICE u64 longest_first(const AttentionShape& shape, u32 rows_each, u64 number) {
    constexpr u64 cache_bytes = 32 << 20, many = 2048;
    const u64 each = row_tiles(shape, rows_each) * shape.splits;
    const u64 heads = static_cast<u64>(shape.batch) * divide(shape.heads, shape.group);
    if (shape.window_right == Limits<i32>::highest || heads * each > many) return number;
    const u64 fitting = cache_bytes / (u64{2} * shape.keys * shape.width * sizeof(K) + 1) + 1;
    const u64 together = fitting < heads ? fitting : heads, section = number / (together * each);
    const u64 first = section * together, here = heads - first < together ? heads - first : together;
    const u64 inside = number - first * each, turn = inside / here;
    return (first + inside - turn * here) * each + turn;
  }
  KG_DEVICE AttentionTileData data() const {
    const AttentionHead<T, K>& of = sequence;
    return {of.batch,    of.head,    of.kv_head, of.queries, of.keys, of.slope,
            first_query, first_head, count,      split,      keys};
  }

  KG_DEVICE u32 query(u32 r) const { return first_query + divide(first_head + r, sequence.all.shape.group); }
  /// Rows whose queries the sequence has: the first ones.
  KG_DEVICE u32 rows_there() const {
    if (first_query >= sequence.queries) return 0;
    const u64 there =
        static_cast<u64>(sequence.queries - first_query) * sequence.all.shape.group - first_head;
    return there < count ? static_cast<u32>(there) : count;
  }
  KG_DEVICE AttentionHead<T, K> head(u32 r) const {
    const u32 at = first_head + r, group = sequence.all.shape.group;
    return sequence.later_head(at - divide(at, group) * group);
  }

 private:
  static KG_DEVICE u64 all_rows(const AttentionShape& shape) {
    return static_cast<u64>(shape.group) * shape.queries;
  }
  static KG_DEVICE u64 row_tiles(const AttentionShape& shape, u32 rows_each) {
    return (all_rows(shape) + rows_each - 1) / rows_each;
  }

  /// The parts of a tile's index: (batch · key heads + kv_head) · row tiles + row tile, times splits, plus split. Row tiles count
  /// from the last rows.
  struct TileCoordinates {
    u64 of_split, batch_kv_head, first;  ///< first: row among those that share the key head
    u32 split;
    u64 batch;
    u32 kv_head;

    KG_DEVICE TileCoordinates(const AttentionShape& shape, u32 rows_each, u64 index)
        : of_split(divide(index, u64{shape.splits})),
          batch_kv_head(divide(of_split, row_tiles(shape, rows_each))),
          first((row_tiles(shape, rows_each) - 1 -
                 remainder(of_split, row_tiles(shape, rows_each), batch_kv_head)) *
                rows_each),
          split(static_cast<u32>(remainder(index, shape.splits, of_split))),
          batch(divide(batch_kv_head, u64{divide(shape.heads, shape.group)})),
          kv_head(static_cast<u32>(remainder(batch_kv_head, divide(shape.heads, shape.group), batch))) {}
  };

  KG_DEVICE AttentionTile(const Attention<T, K>& x, const TileCoordinates& at, u32 rows_each)
      : sequence(x, static_cast<u32>(at.batch), at.kv_head * x.shape.group),
        first_query(static_cast<u32>(divide(at.first, u64{x.shape.group}))),
        first_head(static_cast<u32>(remainder(at.first, x.shape.group, first_query))),
        count(all_rows(x.shape) - at.first < rows_each ? static_cast<u32>(all_rows(x.shape) - at.first)
                                                       : rows_each),
        split(at.split) {
    keys = key_range(sequence, first_query, query(count - 1)).split(split, x.shape.splits);
  }
};

}  // namespace kg::detail
