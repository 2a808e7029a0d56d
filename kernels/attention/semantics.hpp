#pragma once
/// Defines attention for every engine: which keys a query sees, where they are stored, and how their products
/// become logits.
///
/// A query q has a logit s for each key k that it sees: s = scale · q·k; capped if there is a soft cap, cap ·
/// tanh(s / cap); minus slope · |position of q - position of k| (ALiBi: Press, Smith and Lewis, "Train short, test long", 2022);
/// plus the mask's element. The result is the sum of v weighted by exp(s), divided by the sum of exp(s). A sink adds
/// its own exp to that sum. The logarithm of the divisor is the log-sum-exp. A key with a logit of -inf
/// counts as not seen. A query that sees no key has the result 0 and, without a sink, the log-sum-exp -inf.
#include "device/convert.hpp"
#include "device/math.hpp"
#include "engines/index_check.hpp"
#include "engines/position.hpp"
#include "plan/attention.hpp"

namespace kg {

KG_DEVICE f32 negative_infinity() { return bit_cast<f32>(0xff800000u); }

/// A row of q, of elements T or f32.
template <class T>
struct QueryRow {
  const T* data;
  bool is_f32;

  KG_DEVICE f32 operator[](u32 e) const {
    return is_f32 ? reinterpret_cast<const f32*>(data)[e] : widen(data[e]);
  }
};

/// Operands of a call. T is the type of the mask and, unless the shape says f32_rows, of q and the result; K is
/// that of k and v. Optional operands may be null.
template <class T, class K>
struct Attention {
  const T* q;
  const K *k, *v;
  T* y;
  f32* log_sum_exp;  ///< [batch, heads, queries]; may be null
  f32* partials;     ///< see PartialRows; only with splits
  const T* mask;
  const f32 *alibi_slopes, *sinks;
  const u32 *query_lengths, *key_lengths;  ///< [batch]
  const u32* block_table;                  ///< [batch, pages_each], for a paged cache
  AttentionShape shape;
  b64* fault;
  u64 call, operation;  ///< as in IndexCheck; the low bits of `call` identify the invalid input

  KG_DEVICE Attention(const T* q, const K* k, const K* v, T* y, f32* log_sum_exp, f32* partials,
                      const T* mask, const f32* alibi_slopes, const f32* sinks, const u32* query_lengths,
                      const u32* key_lengths, const u32* block_table, const AttentionShape& shape, b64* fault,
                      u64 call, u64 operation)
      : q(q),
        k(k),
        v(v),
        y(y),
        log_sum_exp(log_sum_exp),
        partials(partials),
        mask(mask),
        alibi_slopes(alibi_slopes),
        sinks(sinks),
        query_lengths(query_lengths),
        key_lengths(key_lengths),
        block_table(block_table),
        shape(shape),
        fault(fault),
        call(call),
        operation(operation) {}

  static constexpr i64 none = IndexCheck::none;
  /// Kinds of invalid input.
  enum Bad : u64 { query_length, key_length, page };

  KG_DEVICE bool has_f32_rows() const { return sizeof(T) < sizeof(f32) && shape.f32_rows; }

  KG_DEVICE void report_bad(Bad what, u64 position, u32 value, u32 limit) const {
    report(reinterpret_cast<IndexFault*>(fault),
           {0, 0, call + what, position, static_cast<i64>(value), limit, operation});
  }

  /// Rows of sequence `batch`. A length that exceeds `most` is reported and counts as 0.
  KG_DEVICE u32 length(const u32* lengths, u32 batch, u32 most, Bad what) const {
    if (!lengths) return most;
    const u32 given = lengths[batch];
    if (given <= most) return given;
    report_bad(what, batch, given, most + 1);
    return 0;
  }
};

/// One sequence, for one head.
template <class T, class K>
struct AttentionHead {
  const Attention<T, K>& all;
  u32 batch, head, kv_head;
  u32 queries, keys;  ///< rows of this sequence
  f32 slope;

  KG_DEVICE AttentionHead(const Attention<T, K>& all, u32 batch, u32 head, u32 kv_head)
      : all(all),
        batch(batch),
        head(head),
        kv_head(kv_head),
        queries(all.length(all.query_lengths, batch, all.shape.queries, Attention<T, K>::query_length)),
        keys(all.length(all.key_lengths, batch, all.shape.keys, Attention<T, K>::key_length)),
        slope(all.alibi_slopes ? all.alibi_slopes[batch * all.shape.slope[0] + head * all.shape.slope[1]]
                               : 0.0f) {}
  /// From precomputed numbers.
  KG_DEVICE AttentionHead(const Attention<T, K>& all, u32 batch, u32 head, u32 kv_head, u32 queries, u32 keys,
                          f32 slope)
      : all(all), batch(batch), head(head), kv_head(kv_head), queries(queries), keys(keys), slope(slope) {}

  /// The head `offset` further, in the same group.
  KG_DEVICE AttentionHead later_head(u32 offset) const {
    AttentionHead other = *this;
    other.head = head + offset;
    if (all.alibi_slopes)
      other.slope = all.alibi_slopes[batch * all.shape.slope[0] + other.head * all.shape.slope[1]];
    return other;
  }

  /// Position of query t among the keys.
  KG_DEVICE i64 position(u32 t) const { return static_cast<i64>(t) + keys - queries; }

  /// The first key that query t sees (end_key: one past the last). No keys for a query past the end of the
  /// sequence.
  KG_DEVICE u32 first_key(u32 t) const {
    const i64 first = position(t) - all.shape.window_left;
    return first <= 0 || all.shape.window_left == Limits<i32>::highest ? 0
           : first < keys                                              ? static_cast<u32>(first)
                                                                       : keys;
  }
  KG_DEVICE u32 end_key(u32 t) const {
    if (t >= queries) return 0;
    const i64 end = position(t) + all.shape.window_right + 1;
    return end >= keys || all.shape.window_right == Limits<i32>::highest ? keys
           : end <= 0                                                    ? 0
                                                                         : static_cast<u32>(end);
  }

  /// Query t, and its result, if rows are of T.
  KG_DEVICE const T* query(u32 t) const { return all.q + row_offset(all.shape.q, t); }
  KG_DEVICE T* result(u32 t) const { return all.y + row_offset(all.shape.y, t); }
  /// The same for rows of either type.
  KG_DEVICE QueryRow<T> query_row(u32 t) const {
    if (!all.has_f32_rows()) return {query(t), false};
    return {reinterpret_cast<const T*>(f32_query(t)), true};
  }
  KG_DEVICE const f32* f32_query(u32 t) const {
    return reinterpret_cast<const f32*>(all.q) + row_offset(all.shape.q, t);
  }
  KG_DEVICE f32* f32_result(u32 t) const {
    return reinterpret_cast<f32*>(all.y) + row_offset(all.shape.y, t);
  }
  template <bool allows_f32>
  KG_DEVICE void store(u32 t, u32 e, f32 value) const {
    if (allows_f32 && all.has_f32_rows())
      f32_result(t)[e] = value;
    else
      result(t)[e] = convert<T>(value);
  }
  KG_DEVICE i64 row_offset(const AttentionStrides& rows, u32 t) const {
    return batch * rows.batch + head * rows.head + t * rows.row;
  }
  /// Row index in the result, which is [batch, heads, queries].
  KG_DEVICE u64 row(u32 t) const {
    return (static_cast<u64>(batch) * all.shape.heads + head) * all.shape.queries + t;
  }

  /// Offset of key j in k or v. `none` if its page is outside the cache; that is reported, and the key counts
  /// as not seen.
  KG_DEVICE i64 key_offset(const AttentionStrides& rows, u32 j) const {
    if (!all.shape.page_rows) return batch * rows.batch + in_head(rows) + j * rows.row;
    const u32 page = all.block_table[page_entry(j)];
    if (page < all.shape.page_count) return in_page(rows, page, j);
    all.report_bad(Attention<T, K>::page, page_entry(j), page, all.shape.page_count);
    return Attention<T, K>::none;
  }
  // The steps of key_offset().
  KG_DEVICE i64 in_head(const AttentionStrides& rows) const { return static_cast<i64>(kv_head) * rows.head; }
  KG_DEVICE u64 page_entry(u32 j) const {
    return static_cast<u64>(batch) * all.shape.pages_each + j / all.shape.page_rows;
  }
  KG_DEVICE i64 in_page(const AttentionStrides& rows, u32 page, u32 j) const {
    return page * rows.batch + in_head(rows) + (j % all.shape.page_rows) * rows.row;
  }

  /// The logit of query t and visible key j, from their product.
  KG_DEVICE f32 logit(f32 product, u32 t, u32 j) const {
    return masked_logit(product, t, j, all.mask ? masked(t, j) : 0.0f);
  }
  /// The same with the mask's element, 0 without a mask.
  KG_DEVICE f32 masked_logit(f32 product, u32 t, u32 j, f32 mask) const {
    f32 s = product * all.shape.scale;
    if (all.shape.soft_cap != 0) s = capped(s);
    if (all.alibi_slopes) s += bias(t, j);
    return s + mask;
  }
  // The steps of logit().
  KG_DEVICE f32 capped(f32 s) const { return all.shape.soft_cap * tanh(s / all.shape.soft_cap); }
  KG_DEVICE f32 bias(u32 t, u32 j) const {
    const i64 distance = position(t) - j;
    return -(slope * static_cast<f32>(distance < 0 ? -distance : distance));
  }
  KG_DEVICE f32 masked(u32 t, u32 j) const {
    const long long(&stride)[4] = all.shape.mask;
    return widen(all.mask[batch * stride[0] + head * stride[1] + t * stride[2] + j * stride[3]]);
  }
};

/// The keys [begin, end) that any of several consecutive queries see, and the keys [all_see_begin, all_see_end)
/// that all of them see.
struct KeyRange {
  u32 begin, end, all_see_begin, all_see_end;

  /// The keys of split `index` of `splits`.
  KG_DEVICE KeyRange split(u32 index, u32 splits) const {
    if (splits == 1) return *this;
    const u32 count = end - begin, split_end = begin + attention_split(count, index + 1, splits);
    return {begin + attention_split(count, index, splits), split_end, all_see_begin,
            all_see_end < split_end ? all_see_end : split_end};
  }
};

/// The keys of queries `first` to `last`, for every head of the group. A sequence may have fewer queries.
template <class T, class K>
KG_DEVICE KeyRange key_range(const AttentionHead<T, K>& head, u32 first, u32 last) {
  if (first >= head.queries) return {0, 0, 0, 0};
  const u32 last_there = last < head.queries ? last : head.queries - 1;
  const u32 begin = head.first_key(first), end = head.end_key(last_there);
  return {begin, end < begin ? begin : end, head.first_key(last_there), head.end_key(first)};
}

/// Running softmax state: the maximum logit and the sum of exp(s - row_max), over all or some keys of a query.
/// -inf and 0 without keys.
struct AttentionState {
  f32 row_max, row_sum;
};

/// Partial results of a call with splits: a state for each row and split, then `width` sums for each.
struct PartialRows {
  f32* base;
  u64 rows;  ///< of the result
  u32 splits, width;

  KG_DEVICE AttentionState* state(u64 row, u32 split) const {
    return reinterpret_cast<AttentionState*>(base) + row * splits + split;
  }
  KG_DEVICE f32* sums(u64 row, u32 split) const {
    return base + 2 * rows * splits + (row * splits + split) * width;
  }
};

template <class T, class K>
KG_DEVICE PartialRows partial_rows(const Attention<T, K>& x) {
  const AttentionShape& shape = x.shape;
  return {x.partials, static_cast<u64>(shape.batch) * shape.heads * shape.queries, shape.splits, shape.width};
}

/// exp(s - top), also if top is -inf because there are no keys.
KG_DEVICE f32 attention_weight(f32 s, f32 top) { return s == negative_infinity() ? 0.0f : exp(s - top); }

/// attention_weight by a function that may flush subnormal results to 0. A GPU's adds a relative error of
/// |s - top| · 2^-24, as logits have.
KG_DEVICE f32 attention_decay(f32 s, f32 top) {
#if KG_GPU
  constexpr f32 log2_e = 0x1.715476p+0f;
  const f32 weight = native::rough_exp2((s - top) * log2_e);
#else
  const f32 weight = decay(s - top);
#endif
  return s == negative_infinity() ? 0.0f : weight;
}

/// A query's state, combined with its head's sink.
KG_DEVICE AttentionState with_sink(const AttentionState& x, f32 sink) {
  const f32 top = sink > x.row_max || sink != sink ? sink : x.row_max;
  return {top, x.row_sum * attention_weight(x.row_max, top) + attention_weight(sink, top)};
}

/// The log-sum-exp of a query.
KG_DEVICE f32 log_sum(const AttentionState& x) {
  return x.row_sum == 0 ? negative_infinity() : x.row_max + log(x.row_sum);
}

/// The factor of the sums over the keys of `part` in a query's result with the state `whole`.
KG_DEVICE f32 share_of(const AttentionState& part, const AttentionState& whole) {
  return whole.row_sum == 0 ? 0.0f : attention_weight(part.row_max, whole.row_max) / whole.row_sum;
}

/// The factor of the sums of query t, whose state over all keys is given, in its result. Stores the log-sum-exp if it is wanted
/// and `stores` is set: for one thread of those that call this for the query.
template <class T, class K>
KG_DEVICE f32 finish_query(const AttentionHead<T, K>& head, u32 t, const AttentionState& state, bool stores) {
  const Attention<T, K>& x = head.all;
  const AttentionState whole = x.sinks ? with_sink(state, x.sinks[head.head]) : state;
  if (stores && x.log_sum_exp) x.log_sum_exp[head.row(t)] = log_sum(whole);
  return share_of(state, whole);
}

}  // namespace kg
