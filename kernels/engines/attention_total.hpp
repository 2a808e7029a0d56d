#pragma once
/// What a row of the result is made of, once all of its keys were met.
#include "engines/attention.hpp"

namespace kg {

struct AttentionTotal {
  f32 factor;   ///< of the sums that the state counts
  f32 log_sum;  ///< the row's log-sum-exp
};

/// Of a row's state and its head's sink. Sinks may be missing.
KG_DEVICE AttentionTotal attention_total(const AttentionState& state, const f32* sinks, u32 head) {
  const AttentionState all = sinks ? with_sink(state, sinks[head]) : state;
  if (all.weight == 0) return {0, negative_infinity()};
  return {attention_weight(state.top, all.top) / all.weight, all.top + log(all.weight)};
}

}  // namespace kg
