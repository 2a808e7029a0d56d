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
  Parked<AttentionPartNumbers>& noted;  ///< what the part is, as one thread works it out for all
  Rows rows_each;                       ///< says how many a part has
  WideEveryones index;

  KG_DEVICE Attention<T, K> operands() const {
    sync();
    Attention<T, K> x = unpark(place, given);
    native::in_global_memory(x.q, x.k, x.v, x.y, x.log_sums, x.partials, x.mask, x.slopes, x.sinks,
                             x.query_lengths, x.key_lengths, x.pages);
    return x;
  }
  /// One thread calls this, before the block meets and others ask for the part. Where arguments are parked each step works
  /// the part out by itself, in scalar registers.
  KG_DEVICE void note(const Attention<T, K>& x) const {
    if constexpr (!native::arguments_are_parked)
      noted = bit_cast<Parked<AttentionPartNumbers>>(AttentionPart<T, K>(x, rows_each(), index).numbers());
  }
  KG_DEVICE AttentionPart<T, K> part(const Attention<T, K>& x) const {
    if constexpr (native::arguments_are_parked)
      return AttentionPart<T, K>(x, rows_each(), index);
    else
      return AttentionPart<T, K>(x, bit_cast<AttentionPartNumbers>(noted));
  }
  /// Calls look(part) without waiting for others, where operands are at hand.
  template <class Look>
  KG_DEVICE void look(Look look) const {
    if constexpr (native::arguments_are_parked)
      take(look);
    else
      look(part(given));
  }
  /// Calls step(part).
  template <class Step>
  KG_DEVICE void take(Step step) const {
    const Attention<T, K> x = operands();
    step(part(x));
  }
};

}  // namespace kg::detail
