#pragma once
/// What blocks of a recurrence stage in shared memory: the vectors and numbers of some tokens.
#include "device/args_in_lds.hpp"
#include "device/async_copy.hpp"
#include "device/group.hpp"
#include "device/math.hpp"
#include "device/pack.hpp"
#include "recurrence/operands.hpp"

namespace kg {
namespace detail {

/// A thread's elements of a row: 4 (n · group + rank) to + 3 for each n, zeros beyond the row's end.
template <u32 group, u32 each>
struct RowSlice {
  f32 value[each];

  static KG_DEVICE u32 index(u32 rank, u32 e) { return (e / 4 * group + rank) * 4 + e % 4; }

  KG_DEVICE void load(const f32* row, i64 step, u32 width, u32 rank, bool in_packs) {
    if (in_packs) {
      KG_UNROLL for (u32 e = 0; e < each; e += 4) {
        const u32 i = index(rank, e);
        Pack<f32, 4> pack = {};
        if (i < width) pack = load_pack<4>(row + i);
        KG_UNROLL for (u32 j = 0; j < 4; ++j) value[e + j] = pack.get(static_cast<int>(j));
      }
    } else {
      KG_UNROLL for (u32 e = 0; e < each; ++e) {
        const u32 i = index(rank, e);
        value[e] = i < width ? row[static_cast<i64>(i) * step] : 0;
        sched_barrier_every_4(static_cast<int>(e));
      }
    }
  }

  KG_DEVICE void store(f32* row, i64 step, u32 width, u32 rank, bool in_packs) const {
    if (in_packs) {
      KG_UNROLL for (u32 e = 0; e < each; e += 4) {
        Pack<f32, 4> pack = {};
        KG_UNROLL for (u32 j = 0; j < 4; ++j) pack.set(static_cast<int>(j), value[e + j]);
        const u32 i = index(rank, e);
        if (i < width) store_pack(row + i, pack);
      }
    } else {
      KG_UNROLL for (u32 e = 0; e < each; ++e) {
        const u32 i = index(rank, e);
        if (i < width) row[static_cast<i64>(i) * step] = value[e];
        sched_barrier_every_4(static_cast<int>(e));
      }
    }
  }

  /// From a staged vector.
  KG_DEVICE explicit RowSlice(const Quad* row, u32 rank) {
    KG_UNROLL for (u32 n = 0; n < each / 4; ++n) {
      const Quad quad = row[n * group + rank];
      value[4 * n] = bit_cast<f32>(quad.x);
      value[4 * n + 1] = bit_cast<f32>(quad.y);
      value[4 * n + 2] = bit_cast<f32>(quad.z);
      value[4 * n + 3] = bit_cast<f32>(quad.w);
    }
  }
  KG_DEVICE RowSlice() {}
};

/// The thread's part of the sum over a row of f(e) · b[e], with each of its elements e.
template <u32 each, class F>
KG_DEVICE f32 slice_sum(const f32 (&b)[each], const F& f) {
  f32 part[4];
  KG_UNROLL for (u32 e = 0; e < 4; ++e) part[e] = f(e) * b[e];
  KG_UNROLL for (u32 e = 4; e < each; ++e) part[e % 4] = fma(f(e), b[e], part[e % 4]);
  return (part[0] + part[1]) + (part[2] + part[3]);
}

/// Sums over the threads of a group.
template <u32 group, u32 count>
KG_DEVICE void sum_in_group(u32 lane, f32 (&value)[count]) {
  KG_UNROLL for (u32 mask = 1; mask < group; mask *= 2) KG_UNROLL for (u32 i = 0; i < count; ++i) value[i] +=
      lane_xor(lane, value[i], mask);
}

/// Four elements of a vector, from index i on, as words; zeros beyond its end.
template <class F>
KG_DEVICE Quad vector_quad(const f32* vector, u32 i, u32 width, bool in_packs, const F& f) {
  f32 value[4] = {0, 0, 0, 0};
  if (in_packs) {
    if (i < width) {
      const Pack<f32, 4> pack = load_pack<4>(vector + i);
      KG_UNROLL for (u32 j = 0; j < 4; ++j) value[j] = f(pack.get(static_cast<int>(j)), i + j);
    }
  } else {
    KG_UNROLL for (u32 j = 0; j < 4; ++j) if (i + j < width) value[j] = f(vector[i + j], i + j);
  }
  return {bit_cast<u32>(value[0]), bit_cast<u32>(value[1]), bit_cast<u32>(value[2]), bit_cast<u32>(value[3])};
}

/// What a tile stages.
template <u32 quads>
struct RecurrenceStage {
  /// For each token k, q, then decay, a and b if there are; with asynchronous copies in two halves, one of which is copied to.
  Quad vectors[recurrence_staged_elements / 4];
  Quad bonus[quads];
  /// For each token and row: v, then the result; the decay, or Δ with a vector of rates; delta.
  f32 values[recurrence_staged_numbers], factors[recurrence_staged_numbers],
      deltas[recurrence_staged_numbers];

  /// The vectors of a stage of tokens.
  KG_DEVICE Quad* half(u32 number) {
    return vectors + (has_async_copy ? number % 2 * (recurrence_staged_elements / 8) : 0);
  }
};

/// The terms of a call. AMD GPUs keep them in one register, not in a mask for each.
struct RecurrenceTerms {
  enum : u32 { decay_vector = 1, factor = 2, rate_vector = 4, removal = 8, delta = 16, bonus = 32 };

  static constexpr bool are_known = false;

  Uniform bits;

  KG_DEVICE explicit RecurrenceTerms(const RecurrenceOperands& in) : bits(of(in)) {}
  KG_DEVICE static u32 of(const RecurrenceOperands& in) {
    const bool has_vector = in.decay != nullptr && in.shape.decay.step != 0;
    return (has_vector ? decay_vector : 0) | (in.decay != nullptr && !has_vector ? factor : 0) |
           (in.rates != nullptr && in.shape.rate_step != 0 && !has_vector ? rate_vector : 0) |
           (in.a != nullptr ? removal : 0) | (in.a == nullptr && in.b != nullptr ? delta : 0) |
           (in.bonus != nullptr ? bonus : 0);
  }
  KG_DEVICE bool have(u32 term) const { return (bits & term) != 0; }
  KG_DEVICE bool is(u32 terms) const { return bits == terms; }
};

/// The same known when the kernel is compiled: a loop over tokens without branches, whose instructions are interleaved.
template <u32 bits>
struct KnownTerms {
  static constexpr bool are_known = true;

  KG_DEVICE constexpr bool have(u32 term) const { return (bits & term) != 0; }
};

/// The rows of a tile: `slots` of those of a sequence from first + span_row on, as far as they are in the span.
struct TileRows {
  u32 sequence, span_row, first, slots;

  KG_DEVICE TileRows(const RecurrenceShape& shape, u32 tile, u32 slots) : slots(slots) {
    const u32 tiles_each = (shape.span + slots - 1) / slots, spans = shape.heads * shape.rows / shape.span;
    const u32 part = tile / tiles_each;
    sequence = part / spans;
    first = (tile - part * tiles_each) * slots;
    span_row = (part - sequence * spans) * shape.span;
  }
  KG_DEVICE bool has(const RecurrenceShape& shape, u32 slot) const { return first + slot < shape.span; }
  /// The row in a slot, or the span's last.
  KG_DEVICE u32 row(const RecurrenceShape& shape, u32 slot) const {
    return span_row + (has(shape, slot) ? first + slot : shape.span - 1);
  }
  /// Offset of a row among a sequence's states.
  KG_DEVICE static i64 state_offset(const RecurrenceShape& shape, u32 row) {
    const u32 head = row / shape.rows;
    return static_cast<i64>(static_cast<u64>(head) * shape.rows * shape.width) +
           static_cast<i64>(row - head * shape.rows) * shape.row_step;
  }
};

/// Stages the vectors of `count` tokens from `token` on, of all sequences' tokens, in `to`. What is copied as it is arrives there
/// asynchronously if the target can.
template <u32 quads>
KG_DEVICE void stage_vectors(Quad* to, const RecurrenceOperands& in, const RecurrenceTerms& terms,
                             const TileRows& rows, i64 token, u32 count, u32 of_token) {
  constexpr u32 in_flight = 4;
  const RecurrenceShape& shape = in.shape;
  const u32 thread = thread_index(), threads = block_size(), head = rows.span_row / shape.rows;
  const bool in_packs = shape.vector_packs != 0;
  const auto put = [&](const f32* from, const RecurrenceVectors& of, const auto& f) KG_INLINE {
    from += head_offset(of, head) + token * of.token;
    for (u32 first = thread; first < count * quads; first += in_flight * threads) {
      Quad quad[in_flight];
      KG_UNROLL for (u32 n = 0; n < in_flight; ++n) {
        const u32 i = first + n * threads, t = i < count * quads ? i / quads : 0;
        quad[n] = vector_quad(from + static_cast<i64>(t) * of.token, i % quads * 4, shape.width, in_packs, f);
      }
      KG_UNROLL for (u32 n = 0; n < in_flight; ++n) {
        const u32 i = first + n * threads;
        if (i < count * quads) to[i / quads * of_token + i % quads] = quad[n];
      }
    }
    to += quads;
  };
  const auto put_same = [&](const f32* from, const RecurrenceVectors& of) KG_INLINE {
    if (!has_async_copy || !in_packs) return put(from, of, [](f32 x, u32) KG_INLINE { return x; });
    from += head_offset(of, head) + token * of.token;
    for (u32 i = thread; i < count * quads; i += threads) {
      const u32 t = i / quads, e = i % quads;
      async_copy(to + t * of_token + e, from + static_cast<i64>(t) * of.token + e * 4, e * 4 < shape.width);
    }
    to += quads;
  };
  put_same(in.k, shape.k);
  put_same(in.q, shape.q);
  if (terms.have(RecurrenceTerms::decay_vector)) {
    if (in.rates == nullptr) {
      put_same(in.decay, shape.decay);
    } else {
      const f32* const rates = in.rates + static_cast<u64>(head) * (shape.rate_step == 0 ? 1 : shape.width);
      const u32 step = shape.rate_step;
      put(in.decay, shape.decay, [=](f32 x, u32 i) KG_INLINE { return exp(x * rates[i * step]); });
    }
  }
  if (terms.have(RecurrenceTerms::removal)) {
    put_same(in.a, shape.a);
    put_same(in.b, shape.b);
  }
}

/// A thread's part of the numbers of the tokens that are staged next, loaded while others are computed.
template <u32 group>
struct TokenNumbers {
  static constexpr u32 each = (recurrence_staged_tokens + group - 1) / group;

  f32 value[each], factor[each], delta[each], rate;

  KG_DEVICE void load(const RecurrenceOperands& in, const RecurrenceTerms& terms, const TileRows& rows,
                      i64 token, u32 count) {
    const RecurrenceShape& shape = in.shape;
    const u32 row = rows.row(shape, thread_index() & (rows.slots - 1)), head = row / shape.rows;
    rate = in.rates != nullptr && shape.rate_step == 0 ? in.rates[head] : 0;
    KG_UNROLL for (u32 n = 0; n < each; ++n) {
      const u32 t = thread_index() / rows.slots + n * group;
      const i64 at = token + (t < count ? t : 0);
      value[n] = in.v[head_offset(shape.v, head) + at * shape.v.token + (row - head * shape.rows)];
      if (terms.have(RecurrenceTerms::factor))
        factor[n] = in.decay[head_offset(shape.decay, head) + at * shape.decay.token];
      if (terms.have(RecurrenceTerms::delta))
        delta[n] = in.b[head_offset(shape.b, head) + at * shape.b.token];
    }
  }

  template <u32 quads>
  KG_DEVICE void store(RecurrenceStage<quads>& stage, const RecurrenceOperands& in,
                       const RecurrenceTerms& terms, u32 slots, u32 count) const {
    KG_UNROLL for (u32 n = 0; n < each; ++n) {
      const u32 t = thread_index() / slots + n * group, number = t * slots + (thread_index() & (slots - 1));
      if (t >= count) continue;
      f32 own = value[n];
      if (terms.have(RecurrenceTerms::factor)) {
        f32 by = factor[n];
        if (in.shape.discretize != 0) {
          by = softplus(by);
          own *= by;
        }
        if (in.rates != nullptr && in.shape.rate_step == 0) by = exp(by * rate);
        stage.factors[number] = by;
      }
      if (terms.have(RecurrenceTerms::delta)) stage.deltas[number] = delta[n];
      stage.values[number] = own;
    }
  }
};

/// What a thread reads of a staged token, one token ahead.
template <u32 group, u32 each>
struct StagedToken {
  RowSlice<group, each> k, q;
  f32 value, factor, delta;

  template <class Terms>
  KG_DEVICE void load(const RecurrenceStage<group * each / 4>& stage, const Quad* vectors, u32 number,
                      const Terms& terms) {
    const u32 rank = thread_index() % group;
    k = RowSlice<group, each>(vectors, rank);
    q = RowSlice<group, each>(vectors + group * each / 4, rank);
    value = stage.values[number];
    if (terms.have(RecurrenceTerms::factor)) factor = stage.factors[number];
    if (terms.have(RecurrenceTerms::delta)) delta = stage.deltas[number];
  }
};

}  // namespace detail
}  // namespace kg
