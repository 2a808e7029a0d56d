#pragma once
#include "attention/semantics.hpp"

namespace kg::detail {

/// A part as plain numbers, for shared memory.
struct AttentionPartNumbers {
  u32 batch, head, kv_head, queries, keys;  ///< as in AttentionHead
  f32 slope;
  u32 first_query, first_head, count, split;  ///< as in AttentionPart
  KeyRange range;
};

/// A block's unit of work: rows of q of one sequence, for heads that share a key head, and the visible keys
/// of one split. One of attention_pieces(shape, rows_each).
template <class T, class K>
struct AttentionPart {
  AttentionHead<T, K> sequence;  ///< with the first of the heads
  u32 first_query, first_head;   ///< of row 0; heads are counted from the sequence's first
  u32 count;                     ///< rows
  u32 split;
  KeyRange keys{0, 0, 0, 0};

  /// Parts that share keys are adjacent. The last rows come first: with causal masks they see the most keys.
  KG_DEVICE AttentionPart(const Attention<T, K>& x, u32 rows_each, u64 index)
      : AttentionPart(
            x, index / x.shape.splits / runs(x.shape, rows_each),
            (runs(x.shape, rows_each) - 1 - index / x.shape.splits % runs(x.shape, rows_each)) * rows_each,
            rows_each, static_cast<u32>(index % x.shape.splits)) {}
  /// A part from stored numbers.
  KG_DEVICE AttentionPart(const Attention<T, K>& x, const AttentionPartNumbers& n)
      : sequence(x, n.batch, n.head, n.kv_head, n.queries, n.keys, n.slope),
        first_query(n.first_query),
        first_head(n.first_head),
        count(n.count),
        split(n.split),
        keys(n.range) {}
  KG_DEVICE AttentionPartNumbers numbers() const {
    const AttentionHead<T, K>& of = sequence;
    return {of.batch,    of.head,    of.kv_head, of.queries, of.keys, of.slope,
            first_query, first_head, count,      split,      keys};
  }

  /// Up to `most` rows of this part, starting at `first`, over the same keys.
  KG_DEVICE AttentionPart rows(u32 first, u32 most) const {
    AttentionPart part = *this;
    const u32 group = sequence.all.shape.group, at = first_head + first;
    part.first_query = first_query + at / group;
    part.first_head = at % group;
    part.count = count - first < most ? count - first : most;
    return part;
  }

  KG_DEVICE u32 query(u32 r) const {
    return first_query + groups_of(first_head + r, sequence.all.shape.group);
  }
  KG_DEVICE AttentionHead<T, K> head(u32 r) const {
    const u32 at = first_head + r, group = sequence.all.shape.group;
    return sequence.beside(at - groups_of(at, group) * group);
  }

 private:
  static KG_DEVICE u64 all_rows(const AttentionShape& shape) {
    return static_cast<u64>(shape.group) * shape.queries;
  }
  static KG_DEVICE u64 runs(const AttentionShape& shape, u32 rows_each) {
    return (all_rows(shape) + rows_each - 1) / rows_each;
  }

  KG_DEVICE AttentionPart(const Attention<T, K>& x, u64 kv_head, u64 first, u32 rows_each, u32 split)
      : sequence(x, static_cast<u32>(kv_head / (x.shape.heads / x.shape.group)),
                 static_cast<u32>(kv_head % (x.shape.heads / x.shape.group)) * x.shape.group),
        first_query(static_cast<u32>(first / x.shape.group)),
        first_head(static_cast<u32>(first % x.shape.group)),
        count(all_rows(x.shape) - first < rows_each ? static_cast<u32>(all_rows(x.shape) - first)
                                                    : rows_each),
        split(split) {
    keys = key_range(sequence, first_query, query(count - 1)).split(split, x.shape.splits);
  }
};

}  // namespace kg::detail
