#pragma once
/// One step of attention's inputs: queries are rotated, keys are rotated and stored as rows of a cache, values are stored as
/// rows of another one.
#include "device/group.hpp"
#include "elementwise/rope.hpp"
#include "engines/index_check.hpp"
#include "engines/spans.hpp"
#include "quantized/column.hpp"

namespace kg {

/// f32 [tokens, heads, d] with contiguous heads.
struct TokenHeads {
  const f32* x;
  i64 token, head;  ///< distances
  u32 heads;

  KG_DEVICE TokenHeads(const f32* x, i64 token, i64 head, u32 heads)
      : x(x), token(token), head(head), heads(heads) {}
  KG_DEVICE const f32* at(u32 t, u32 h) const { return x + i64{t} * token + i64{h} * head; }
};

/// The angles of tokens: those of `pairs` pairs, whose two elements are `pair` apart, and whose first ones are 1 or 2 apart.
struct TokenAngles {
  const f32 *cos, *sin;
  i64 cos_token, sin_token;
  u32 pairs;
  bool are_neighbours;

  KG_DEVICE TokenAngles(const f32* cos, const f32* sin, i64 cos_token, i64 sin_token, u32 pairs,
                        u32 are_neighbours)
      : cos(cos),
        sin(sin),
        cos_token(cos_token),
        sin_token(sin_token),
        pairs(pairs),
        are_neighbours(are_neighbours != 0) {}

  /// Rotates a head of token t.
  template <class Y>
  KG_DEVICE void rotate(u32 t, const f32* x, Y* y, const Group& group) const {
    const f32 *const c = cos + i64{t} * cos_token, *const s = sin + i64{t} * sin_token;
    if (are_neighbours)
      rotate_by<2>(x, y, c, s, 1, group);
    else
      rotate_by<1>(x, y, c, s, pairs, group);
  }

 private:
  template <u32 step, class Y>
  KG_DEVICE void rotate_by(const f32* x, Y* y, const f32* c, const f32* s, u32 pair,
                           const Group& group) const {
    const u32 threads = is_gpu ? group.size : 1;
    for (u32 i = group.rank; i < pairs; i += threads) {
      f32 a = x[step * i], b = x[step * i + pair];
      turn(a, b, c[i], s[i]);
      y[step * i] = convert<Y>(a);
      y[step * i + pair] = convert<Y>(b);
    }
  }
};

/// Rows of f32, f16 or bf16, `step` elements apart, and the row of each token.
struct CacheRows {
  b8* y;
  ActivationType type;
  i64 step;
  const b8* ids;
  IdType id_type;
  IndexCheck check;

  KG_DEVICE CacheRows(b8* y, u32 type, i64 step, const b8* ids, u32 id_type, const IndexCheck& check)
      : y(y),
        type(static_cast<ActivationType>(type)),
        step(step),
        ids(ids),
        id_type(static_cast<IdType>(id_type)),
        check(check) {}

  /// Calls f with a pointer to the row of token t, which is token first + t of the call, unless its id is no row.
  template <class F>
  KG_DEVICE void with_row(u32 t, u64 first, const F& f) const {
    const i64 row = check.resolve(load_index(ids, id_type, t), [&] { return first + t; });
    if (row >= 0)
      visit(type, [&](auto* null) KG_INLINE { f(reinterpret_cast<decltype(null)>(y) + row * step); });
  }
};

namespace detail {

template <class Y>
KG_DEVICE void store_span(const f32* x, Y* y, u32 begin, u32 end, const Group& group) {
  const u32 step = is_gpu ? group.size : 1;
  for (u32 i = begin + group.rank; i < end; i += step) y[i] = convert<Y>(x[i]);
}

}  // namespace detail

/// Writes rotated queries to q_out, contiguous, rotated keys to rows of `keys`, and the `width` elements of each token of v,
/// which are v_token apart, to rows of `values`. A group of `threads` takes a head, or `part` elements of v.
KG_DEVICE void rope_set_rows(const TokenHeads& q, f32* q_out, const TokenHeads& k, const f32* v, i64 v_token,
                             u32 width, const TokenAngles& angles, const CacheRows& keys,
                             const CacheRows& values, u32 tokens, u64 first, u32 part, u32 threads) {
  const Group group(threads);
  const u32 parts = (width + part - 1) / part, each = q.heads + k.heads + parts, d = 2 * angles.pairs;
  for_each_span(u64{tokens} * each, group.count, [&](u64 task, u64 tasks) KG_INLINE {
    if (group.index >= tasks) return;
    const u32 mine = static_cast<u32>(task) + group.index, t = mine / each, n = mine - t * each;
    if (n < q.heads) {
      angles.rotate(t, q.at(t, n), q_out + (u64{t} * q.heads + n) * d, group);
    } else if (n < q.heads + k.heads) {
      const u32 head = n - q.heads;
      keys.with_row(t, first, [&](auto* row) KG_INLINE {
        angles.rotate(t, k.at(t, head), row + u64{head} * d, group);
      });
    } else {
      const u32 begin = (n - q.heads - k.heads) * part, end = width - begin < part ? width : begin + part;
      const f32* const from = v + i64{t} * v_token;
      values.with_row(t, first,
                      [&](auto* row) KG_INLINE { detail::store_span(from, row, begin, end, group); });
    }
  });
}

}  // namespace kg
