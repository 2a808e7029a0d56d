#pragma once
/// Recurrences by blocks: `group` threads of a wave hold a row of a state, a block has as many rows as its threads suffice
/// for. It stages the vectors of some tokens in shared memory, so that no thread waits for them token by token.
#include "device/args_in_lds.hpp"
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
        separate_fours(static_cast<int>(e));
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
        separate_fours(static_cast<int>(e));
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

/// The thread's part of the sum over a row of what f(e) gives for each of its elements.
template <u32 each, class F>
KG_DEVICE f32 slice_sum(const F& f) {
  f32 part[4];
  KG_UNROLL for (u32 e = 0; e < 4; ++e) part[e] = f(e);
  KG_UNROLL for (u32 e = 4; e < each; ++e) part[e % 4] += f(e);
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
  Quad vectors[recurrence_staged_elements / 4];  ///< for each token k, q, then decay, a and b if there are
  Quad bonus[quads];
  /// For each token and row: v, then the result; the decay, or Δ with a vector of rates; delta.
  f32 values[recurrence_staged_numbers], factors[recurrence_staged_numbers],
      deltas[recurrence_staged_numbers];
};

/// The terms of a call. AMD GPUs keep them in one register, not in a mask for each.
struct RecurrenceTerms {
  enum : u32 { decay_vector = 1, factor = 2, rate_vector = 4, removal = 8, delta = 16, bonus = 32 };

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

/// Stages `count` tokens from `token` on, of all sequences' tokens.
template <u32 group, u32 quads>
KG_DEVICE void stage_tokens(RecurrenceStage<quads>& stage, const RecurrenceOperands& in,
                            const RecurrenceTerms& terms, const TileRows& rows, i64 token, u32 count,
                            u32 of_token) {
  const RecurrenceShape& shape = in.shape;
  const u32 thread = thread_index(), threads = block_size(), head = rows.span_row / shape.rows;
  const bool in_packs = shape.vector_packs != 0;
  u32 next = 0;
  const auto put = [&](const f32* from, const RecurrenceVectors& of, const auto& f) KG_INLINE {
    from += head_offset(of, head) + token * of.token;
    for (u32 i = thread; i < count * quads; i += threads) {
      const u32 t = i / quads, e = i % quads;
      stage.vectors[t * of_token + next + e] =
          vector_quad(from + static_cast<i64>(t) * of.token, e * 4, shape.width, in_packs, f);
    }
    next += quads;
  };
  const auto same = [](f32 x, u32) KG_INLINE { return x; };
  put(in.k, shape.k, same);
  put(in.q, shape.q, same);
  if (terms.have(RecurrenceTerms::decay_vector)) {
    if (in.rates == nullptr) {
      put(in.decay, shape.decay, same);
    } else {
      const f32* const rates = in.rates + static_cast<u64>(head) * (shape.rate_step == 0 ? 1 : shape.width);
      const u32 step = shape.rate_step;
      put(in.decay, shape.decay, [=](f32 x, u32 i) KG_INLINE { return exp(x * rates[i * step]); });
    }
  }
  if (terms.have(RecurrenceTerms::removal)) {
    put(in.a, shape.a, same);
    put(in.b, shape.b, same);
  }
  const u32 slot = thread & (rows.slots - 1), row = rows.row(shape, slot), own_head = row / shape.rows;
  for (u32 t = thread / rows.slots; t < count; t += group) {
    const i64 at = token + t;
    f32 value = in.v[head_offset(shape.v, own_head) + at * shape.v.token + (row - own_head * shape.rows)];
    if (terms.have(RecurrenceTerms::factor)) {
      f32 factor = in.decay[head_offset(shape.decay, own_head) + at * shape.decay.token];
      if (shape.discretize != 0) {
        factor = softplus(factor);
        value *= factor;
      }
      if (in.rates != nullptr && shape.rate_step == 0) factor = exp(factor * in.rates[own_head]);
      stage.factors[t * rows.slots + slot] = factor;
    }
    if (terms.have(RecurrenceTerms::delta))
      stage.deltas[t * rows.slots + slot] = in.b[head_offset(shape.b, own_head) + at * shape.b.token];
    stage.values[t * rows.slots + slot] = value;
  }
}

/// Puts the results of `count` staged tokens in the place of v.
template <u32 group, u32 each>
KG_DEVICE void recur(RecurrenceStage<group * each / 4>& stage, RowSlice<group, each>& s, const f32* rates,
                     u32 width, const RecurrenceTerms& terms, u32 count, u32 of_token, u32 slots) {
  using Slice = RowSlice<group, each>;
  constexpr u32 quads = group * each / 4;
  const u32 rank = thread_index() % group, slot = thread_index() / group,
            lane = thread_index() & (wave_size() - 1);
  f32 pending = 0;  // the thread's part of the last token's result
  for (u32 t = 0; t < count; ++t) {
    const Quad* const of = stage.vectors + t * of_token;
    const u32 number = t * slots + slot;
    const Slice k(of, rank), q(of + quads, rank);
    const Quad* more = of + 2 * quads;
    f32 value = stage.values[number];
    f32 sums[2] = {pending, 0};
    if (terms.have(RecurrenceTerms::removal)) {
      const Slice a(more + (terms.have(RecurrenceTerms::decay_vector) ? quads : 0), rank);
      sums[1] = slice_sum<each>([&](u32 e) KG_INLINE { return s.value[e] * a.value[e]; });
    }
    if (terms.have(RecurrenceTerms::bonus)) {
      const Slice extra(stage.bonus, rank);
      pending = slice_sum<each>(
          [&](u32 e) KG_INLINE { return fma(extra.value[e] * k.value[e], value, s.value[e]) * q.value[e]; });
    }
    if (terms.have(RecurrenceTerms::decay_vector)) {
      const Slice decay(more, rank);
      more += quads;
      KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] *= decay.value[e];
    } else if (terms.have(RecurrenceTerms::factor)) {
      const f32 factor = stage.factors[number];
      if (terms.have(RecurrenceTerms::rate_vector)) {
        Slice rate;
        rate.load(rates, 1, width, rank, false);
        KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] *= exp(factor * rate.value[e]);
      } else {
        KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] *= factor;
      }
    }
    if (terms.have(RecurrenceTerms::delta))
      sums[1] = slice_sum<each>([&](u32 e) KG_INLINE { return s.value[e] * k.value[e]; });
    if (terms.have(RecurrenceTerms::removal | RecurrenceTerms::delta)) {
      sum_in_group<group>(lane, sums);
    } else {
      f32 one[1] = {sums[0]};
      sum_in_group<group>(lane, one);
      sums[0] = one[0];
    }
    // All threads of the group have read the last token's value.
    if (rank == 0 && t > 0) stage.values[number - slots] = sums[0];
    if (terms.have(RecurrenceTerms::removal)) {
      const Slice b(more + quads, rank);
      KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] = fma(sums[1], b.value[e], s.value[e]);
    }
    if (terms.have(RecurrenceTerms::delta)) value = stage.deltas[number] * (value - sums[1]);
    KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] = fma(value, k.value[e], s.value[e]);
    if (!terms.have(RecurrenceTerms::bonus))
      pending = slice_sum<each>([&](u32 e) KG_INLINE { return s.value[e] * q.value[e]; });
  }
  f32 last[1] = {pending};
  sum_in_group<group>(lane, last);
  if (rank == 0) stage.values[(count - 1) * slots + slot] = last[0];
}

template <u32 group, u32 each>
KG_DEVICE void recurrence_tiles(const RecurrenceOperands& given) {
  constexpr u32 quads = group * each / 4;
  KG_SHARED RecurrenceStage<quads> stage;
  KG_SHARED ArgsInLds<RecurrenceOperands> place;
  store_args(place, given);

  const u32 thread = thread_index(), threads = block_size();
  const u32 rank = thread % group, slot = thread / group, slots = threads / group;
  const RecurrenceTerms terms(given);
  const u32 of_token = (2 + (terms.have(RecurrenceTerms::decay_vector) ? 1 : 0) +
                        (terms.have(RecurrenceTerms::removal) ? 2 : 0)) *
                       quads;
  const u32 tiles = (given.shape.span + slots - 1) / slots *
                    (given.shape.heads * given.shape.rows / given.shape.span) * given.shape.sequences;
  const u32 tokens = given.shape.tokens, step = given.shape.tile_tokens, width = given.shape.width;
  for (u32 tile = block_index(); tile < tiles; tile += grid_size()) {
    RowSlice<group, each> s;
    const f32* rates = nullptr;  // of the thread's row
    {
      const RecurrenceOperands in = load_args_per_thread(place, given);
      const TileRows rows(in.shape, tile, slots);
      const u32 row = rows.row(in.shape, slot), head = row / in.shape.rows;
      KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] = 0;
      const f32* const before = in.states_before(rows.sequence);
      if (before != nullptr)
        s.load(before + TileRows::state_offset(in.shape, row), in.shape.element_step, in.shape.width, rank,
               in.shape.state_packs != 0);
      if (terms.have(RecurrenceTerms::rate_vector))
        rates = in.rates + static_cast<u64>(head) * in.shape.width;
      if (terms.have(RecurrenceTerms::bonus)) {
        const f32* const bonus = in.bonus + static_cast<u64>(rows.span_row / in.shape.rows) * in.shape.width;
        for (u32 i = thread; i < quads; i += threads)
          stage.bonus[i] =
              vector_quad(bonus, i * 4, in.shape.width, false, [](f32 x, u32) KG_INLINE { return x; });
      }
    }
    for (u32 first = 0; first < tokens; first += step) {
      const u32 count = tokens - first < step ? tokens - first : step;
      {
        const RecurrenceOperands in = load_args_per_thread(place, given);
        const TileRows rows(in.shape, tile, slots);
        stage_tokens<group>(stage, in, terms, rows, static_cast<i64>(rows.sequence) * tokens + first, count,
                            of_token);
      }
      sync();
      recur<group, each>(stage, s, rates, width, terms, count, of_token, slots);
      sync();
      const RecurrenceOperands in = load_args_per_thread(place, given);
      const TileRows rows(in.shape, tile, slots);
      const u32 written = thread & (slots - 1);
      const u64 token = static_cast<u64>(rows.sequence) * tokens + first;
      const u64 all_rows = static_cast<u64>(in.shape.heads) * in.shape.rows;
      if (rows.has(in.shape, written))
        for (u32 t = thread / slots; t < count; t += group)
          in.y[(token + t) * all_rows + rows.row(in.shape, written)] =
              in.shape.scale * stage.values[t * slots + written];
    }
    const RecurrenceOperands in = load_args_per_thread(place, given);
    const TileRows rows(in.shape, tile, slots);
    const u64 states = static_cast<u64>(in.shape.heads) * in.shape.rows * in.shape.width;
    if (rows.has(in.shape, slot))
      s.store(in.state + rows.sequence * states + TileRows::state_offset(in.shape, rows.row(in.shape, slot)),
              in.shape.element_step, in.shape.width, rank, in.shape.state_packs != 0);
  }
}

}  // namespace detail
}  // namespace kg
