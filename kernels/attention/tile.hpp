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

/// The parts of a work item's index (AttentionTiles).
struct AttentionItem {
  u32 batch, kv_head;
  u32 row_tile;  ///< counted from the last rows: with causal masks they see the most keys
  u32 split;
  bool is_there;

  KG_DEVICE AttentionItem(const AttentionTiles& tiles, u32 index) {
    const u32 section = divide(index, tiles.section), inside = index - section * tiles.section.extent;
    const u32 step = divide(inside, tiles.together), offset = inside - step * tiles.together.extent;
    const u32 of_all = section * tiles.together.extent + offset;
    is_there = of_all < tiles.heads;
    batch = is_there ? divide(of_all, tiles.key_heads) : 0;
    kv_head = is_there ? of_all - batch * tiles.key_heads.extent : 0;
    row_tile = divide(step, tiles.splits);
    split = step - row_tile * tiles.splits.extent;
  }
};

/// A block's work item: some of the rows that share a key head, and the keys of one split that any of them sees (AttentionTiles).
template <class T, class K>
struct AttentionTile {
  AttentionHead<T, K> sequence;  ///< with the first of the heads
  u32 first_query, first_head;   ///< of row 0; heads are counted from the sequence's first
  u32 count;                     ///< rows; 0 of an index past the last head
  u32 split;
  KeyRange keys{0, 0, 0, 0};

  KG_DEVICE AttentionTile(const Attention<T, K>& x, u32 rows_each, u32 index)
      : AttentionTile(x, AttentionItem(x.shape.tiles, index), rows_each) {}
  /// A tile from stored data.
  KG_DEVICE AttentionTile(const Attention<T, K>& x, const AttentionTileData& n)
      : sequence(x, n.batch, n.head, n.kv_head, n.queries, n.keys, n.slope),
        first_query(n.first_query),
        first_head(n.first_head),
        count(n.count),
        split(n.split),
        keys(n.range) {}
  KG_DEVICE AttentionTileData data() const {
    const AttentionHead<T, K>& of = sequence;
    return {of.batch,    of.head,    of.kv_head, of.queries, of.keys, of.slope,
            first_query, first_head, count,      split,      keys};
  }

  KG_DEVICE u32 query(u32 r) const {
    return first_query + divide(first_head + r, sequence.all.shape.tiles.group);
  }
  /// Rows whose queries the sequence has: the first ones.
  KG_DEVICE u32 rows_there() const {
    if (first_query >= sequence.queries) return 0;
    const u64 there =
        static_cast<u64>(sequence.queries - first_query) * sequence.all.shape.group - first_head;
    return there < count ? static_cast<u32>(there) : count;
  }
  KG_DEVICE AttentionHead<T, K> head(u32 r) const {
    const Divisor& group = sequence.all.shape.tiles.group;
    const u32 at = first_head + r;
    return sequence.later_head(at - divide(at, group) * group.extent);
  }

 private:
  static KG_DEVICE u32 all_rows(const AttentionShape& shape) { return shape.group * shape.queries; }
  static KG_DEVICE u32 first_row(const AttentionShape& shape, u32 row_tile, u32 rows_each) {
    return ((all_rows(shape) + rows_each - 1) / rows_each - 1 - row_tile) * rows_each;
  }

  KG_DEVICE AttentionTile(const Attention<T, K>& x, const AttentionItem& at, u32 rows_each)
      : sequence(x, at.batch, at.kv_head * x.shape.group, at.kv_head),
        first_query(divide(first_row(x.shape, at.row_tile, rows_each), x.shape.tiles.group)),
        first_head(first_row(x.shape, at.row_tile, rows_each) - first_query * x.shape.group),
        count(all_rows(x.shape) - first_row(x.shape, at.row_tile, rows_each)),
        split(at.split) {
    if (count > rows_each) count = rows_each;
    if (!at.is_there) count = 0;
    keys = key_range(sequence, first_query, query(count - 1)).split(split, x.shape.splits);
  }
};

}  // namespace kg::detail
