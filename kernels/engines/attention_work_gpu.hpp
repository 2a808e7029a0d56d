#pragma once
#include "device/parked.hpp"
#include "engines/attention_part.hpp"

namespace kg::detail {

/// A part of a call's work, taken in steps. Each begins with the operands as they were put aside, and when all threads of
/// the block are done with the one before.
template <class T, class K, class Rows>
struct AttentionWork {
  const Parked<Attention<T, K>>& place;
  const Attention<T, K>& given;
  Rows rows_each;  ///< says how many a part has
  WideEveryones index;

  KG_DEVICE Attention<T, K> operands() const {
    sync();
    Attention<T, K> x = unpark(place, given);
    native::in_global_memory(x.q, x.k, x.v, x.y, x.log_sums, x.partials, x.mask, x.slopes, x.sinks,
                             x.query_lengths, x.key_lengths, x.pages);
    return x;
  }
  /// Calls look(part) without waiting for others, where operands are at hand.
  template <class Look>
  KG_DEVICE void look(Look look) const {
    if constexpr (native::arguments_are_parked)
      take(look);
    else
      look(AttentionPart<T, K>(given, rows_each(), index));
  }
  /// Calls step(part).
  template <class Step>
  KG_DEVICE void take(Step step) const {
    const Attention<T, K> x = operands();
    step(AttentionPart<T, K>(x, rows_each(), index));
  }
};

}  // namespace kg::detail
