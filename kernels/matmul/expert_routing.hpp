#pragma once
/// Mixtures of experts: each token's experts with their weights, and the sum of the experts' results.
#include "device/group.hpp"
#include "device/math.hpp"
#include "engines/spans.hpp"
#include "plan/expert_routing.hpp"

namespace kg {

namespace detail {

/// Larger for larger logits, and for lower numbers of experts whose logits are equal. Distinct for all experts of a row, NaN or
/// not.
KG_DEVICE u64 routing_key(f32 logit, u32 expert) {
  const u32 bits = bit_cast<u32>(logit), sign = 0x80000000u;
  const u32 ordered = (bits & sign) != 0 ? ~bits : bits | sign;
  return u64{ordered} << 32 | (0xffffffffu - expert);
}
KG_DEVICE u32 expert_of(u64 key) { return 0xffffffffu - static_cast<u32>(key); }

}  // namespace detail

/// For each of `tokens` rows of logits, `row` apart: writes the numbers of the k experts with the largest ones, largest first, and
/// their softmax among all experts, divided by their sum or by `least`, if that is larger, where is_normalized is set. k is at
/// most routing_most and `experts`. A group of `threads` takes a row.
KG_DEVICE void route_experts(const f32* logits, i64 row, u64 tokens, u32 experts, u32 k, u32 is_normalized,
                             f32 least, u32* ids, i64 ids_row, f32* weights, u32 threads) {
  KG_SHARED f32 kept[routing_groups * routing_most];
  const Group group(threads);
  const u32 step = is_gpu ? group.size : 1;
  const auto larger = [](auto a, auto b) KG_INLINE { return a > b ? a : b; };
  for_each_span(tokens, group.count, [&](u64 task, u64 tasks) KG_INLINE {
    const bool mine = group.index < tasks;
    // Groups without a row take the first one's, since all threads take part in reductions.
    const u64 t = mine ? task + group.index : task;
    const f32* const x = logits + static_cast<i64>(t) * row;
    f32* const probabilities = kept + (mine ? group.index : 0) * routing_most;
    f32 top = x[0], total = 0, chosen = 0;
    for (u32 e = group.rank; e < experts; e += step) top = larger(x[e], top);
    top = group_reduce(group, top, larger);
    for (u32 e = group.rank; e < experts; e += step) total += exp(x[e] - top);
    total = group_reduce(group, total, [](f32 a, f32 b) KG_INLINE { return a + b; });
    u64 last = 0;
    for (u32 j = 0; j < k; ++j) {
      u64 best = 0;
      for (u32 e = group.rank; e < experts; e += step) {
        const u64 key = detail::routing_key(x[e], e);
        if (j == 0 || key < last) best = larger(key, best);
      }
      last = group_reduce(group, best, larger);
      const u32 expert = detail::expert_of(last);
      const f32 probability = exp(x[expert] - top) / total;
      chosen += probability;
      if (!mine || group.rank != 0) continue;
      ids[static_cast<i64>(t) * ids_row + j] = expert;
      probabilities[j] = probability;
    }
    if (!mine || group.rank != 0) return;
    const f32 divisor = is_normalized != 0 ? larger(chosen, least) : 1.0f;
    for (u32 j = 0; j < k; ++j) weights[t * k + j] = probabilities[j] / divisor;
  });
}

/// y[t, i] = Σ_j weights[t, j] · x[t, j, i] for n elements i, contiguous in y. A block takes up to `part` of them at a time.
KG_DEVICE void add_experts(const f32* x, i64 x_token, i64 x_expert, const f32* weights, i64 w_token,
                           i64 w_expert, f32* y, u64 tokens, u32 k, u64 n, u32 part) {
  const u64 parts = (n + part - 1) / part;
  for_each_span(tokens * parts, 1, [&](u64 task, u64) KG_INLINE {
    const u64 t = task / parts, begin = (task - t * parts) * part, end = n - begin < part ? n : begin + part;
    const f32 *const from = x + static_cast<i64>(t) * x_token, *const w =
                                                                   weights + static_cast<i64>(t) * w_token;
    for (u64 i = begin + thread_index(); i < end; i += block_size()) {
      f32 sum = 0;
      for (u32 j = 0; j < k; ++j)
        sum = fma(w[i64{j} * w_expert], from[i64{j} * x_expert + static_cast<i64>(i)], sum);
      y[t * n + i] = sum;
    }
  });
}

}  // namespace kg
