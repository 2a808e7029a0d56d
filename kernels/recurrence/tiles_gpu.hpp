#pragma once
/// Recurrences by blocks: `group` threads of a wave hold a row of a state, a block has as many rows as its threads suffice
/// for. It stages the vectors of some tokens in shared memory, so that no thread waits for them token by token.
#include "recurrence/stage_gpu.hpp"

namespace kg {
namespace detail {

/// Puts the results of `count` staged tokens in the place of v.
template <u32 group, u32 each, class Terms>
KG_DEVICE void recur(RecurrenceStage<group * each / 4>& stage, const Quad* vectors, RowSlice<group, each>& s,
                     const f32* rates, u32 width, const Terms& terms, u32 count, u32 of_token, u32 slots) {
  using Slice = RowSlice<group, each>;
  constexpr u32 quads = group * each / 4;
  const u32 rank = thread_index() % group, slot = thread_index() / group,
            lane = thread_index() & (wave_size() - 1);
  f32 pending = 0;  // the thread's part of the last token's result
  const auto step = [&](u32 t, const StagedToken<group, each>& now,
                        StagedToken<group, each>& next) KG_INLINE {
    const Quad* more = vectors + t * of_token + 2 * quads;
    const u32 number = t * slots + slot;
    const Slice &k = now.k, &q = now.q;
    const u32 ahead = t + 1 < count ? t + 1 : t;
    next.load(stage, vectors + ahead * of_token, ahead * slots + slot, terms);
    f32 value = now.value;
    f32 sums[2] = {pending, 0};
    if (terms.have(RecurrenceTerms::removal)) {
      const Slice a(more + (terms.have(RecurrenceTerms::decay_vector) ? quads : 0), rank);
      sums[1] = slice_sum(a.value, [&](u32 e) KG_INLINE { return s.value[e]; });
    }
    if (terms.have(RecurrenceTerms::bonus)) {
      const Slice extra(stage.bonus, rank);
      pending = slice_sum(
          q.value, [&](u32 e) KG_INLINE { return fma(extra.value[e] * k.value[e], value, s.value[e]); });
    }
    if (terms.have(RecurrenceTerms::decay_vector)) {
      const Slice decay(more, rank);
      more += quads;
      KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] *= decay.value[e];
    } else if (terms.have(RecurrenceTerms::factor)) {
      const f32 factor = now.factor;
      if (terms.have(RecurrenceTerms::rate_vector)) {
        Slice rate;
        rate.load(rates, 1, width, rank, false);
        KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] *= exp(factor * rate.value[e]);
      } else {
        KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] *= factor;
      }
    }
    if (terms.have(RecurrenceTerms::delta))
      sums[1] = slice_sum(k.value, [&](u32 e) KG_INLINE { return s.value[e]; });
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
    if (terms.have(RecurrenceTerms::delta)) value = now.delta * (value - sums[1]);
    KG_UNROLL for (u32 e = 0; e < each; ++e) s.value[e] = fma(value, k.value[e], s.value[e]);
    if (!terms.have(RecurrenceTerms::bonus))
      pending = slice_sum(q.value, [&](u32 e) KG_INLINE { return s.value[e]; });
  };
  StagedToken<group, each> even;
  even.load(stage, vectors, slot, terms);
  if constexpr (Terms::are_known) {
    for (u32 t = 0; t < count; t += 2) {
      StagedToken<group, each> odd;
      step(t, even, odd);
      if (t + 1 < count) step(t + 1, odd, even);
    }
  } else {
    for (u32 t = 0; t < count; ++t) {
      const StagedToken<group, each> now = even;
      step(t, now, even);
    }
  }
  f32 last[1] = {pending};
  sum_in_group<group>(lane, last);
  if (rank == 0) stage.values[(count - 1) * slots + slot] = last[0];
}

template <u32 group, u32 each>
KG_DEVICE void recurrence_tiles(const RecurrenceOperands& given) {
  constexpr u32 quads = group * each / 4;
  KG_SHARED RecurrenceStage<quads> stage;
  KG_SHARED ArgsInLds<RecurrenceOperands> shared_args;
  store_args(shared_args, given);

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
      const RecurrenceOperands in = load_args_per_thread(shared_args, given);
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
    TokenNumbers<group> numbers;
    // Loads the numbers of a stage of tokens, or its vectors.
    const auto load = [&](u32 first, bool are_numbers, bool are_vectors) KG_INLINE {
      const RecurrenceOperands in = load_args_per_thread(shared_args, given);
      const TileRows rows(in.shape, tile, slots);
      const i64 token = static_cast<i64>(rows.sequence) * tokens + first;
      const u32 count = tokens - first < step ? tokens - first : step;
      if (are_numbers) numbers.load(in, terms, rows, token, count);
      if (are_vectors)
        stage_vectors<quads>(stage.half(first / step), in, terms, rows, token, count, of_token);
    };
    load(0, true, has_async_copy);
    for (u32 first = 0; first < tokens; first += step) {
      const u32 count = tokens - first < step ? tokens - first : step;
      if (!has_async_copy) load(first, false, true);
      numbers.store(stage, load_args_per_thread(shared_args, given), terms, slots, count);
      async_copy_wait_all();
      sync();
      if (first + step < tokens) load(first + step, true, has_async_copy);
      const Quad* const vectors = stage.half(first / step);
      const auto compute = [&](const auto& of) KG_INLINE {
        recur<group, each>(stage, vectors, s, rates, width, of, count, of_token, slots);
      };
      if (terms.is(RecurrenceTerms::factor))
        compute(KnownTerms<RecurrenceTerms::factor>());
      else if (terms.is(RecurrenceTerms::factor | RecurrenceTerms::delta))
        compute(KnownTerms<RecurrenceTerms::factor | RecurrenceTerms::delta>());
      else
        compute(terms);
      sync();
      const RecurrenceOperands in = load_args_per_thread(shared_args, given);
      const TileRows rows(in.shape, tile, slots);
      const u32 written = thread & (slots - 1);
      const u64 token = static_cast<u64>(rows.sequence) * tokens + first;
      const u64 all_rows = static_cast<u64>(in.shape.heads) * in.shape.rows;
      if (rows.has(in.shape, written))
        for (u32 t = thread / slots; t < count; t += group)
          in.y[(token + t) * all_rows + rows.row(in.shape, written)] =
              in.shape.scale * stage.values[t * slots + written];
    }
    const RecurrenceOperands in = load_args_per_thread(shared_args, given);
    const TileRows rows(in.shape, tile, slots);
    const u64 states = static_cast<u64>(in.shape.heads) * in.shape.rows * in.shape.width;
    if (rows.has(in.shape, slot))
      s.store(in.state + rows.sequence * states + TileRows::state_offset(in.shape, rows.row(in.shape, slot)),
              in.shape.element_step, in.shape.width, rank, in.shape.state_packs != 0);
  }
}

}  // namespace detail
}  // namespace kg
