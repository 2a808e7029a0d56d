#pragma once
#include "attention/part.hpp"
#include "device/args_in_lds.hpp"
#include "device/pack.hpp"

namespace kg::detail {

/// W elements of a row of q, rounded to T.
template <int W, class T>
KG_DEVICE Pack<T, W> rounded_pack(const QueryRow<T>& row, u32 e) {
  if (!row.is_f32) return load_pack<W>(row.data + e);
  const auto wide = load_pack<W>(reinterpret_cast<const f32*>(row.data) + e);
  Pack<T, W> narrow{};
  KG_UNROLL for (int i = 0; i < W; ++i) narrow.set(i, convert<T>(wide.get(i)));
  return narrow;
}

/// A part of a call's work, processed in steps. Each step reloads the operands, after all threads of the
/// block have finished the previous one.
template <class T, class K, class Rows>
struct AttentionWork {
  const ArgsInLds<Attention<T, K>>& place;
  const Attention<T, K>& given;
  ArgsInLds<AttentionPartNumbers>& noted;  ///< the part's numbers, computed by one thread
  Rows rows_each;                          ///< rows per part
  Uniform64 index;

  KG_DEVICE Attention<T, K> operands() const {
    sync();
    Attention<T, K> x = load_args(place, given);
    native::in_global_memory(x.q, x.k, x.v, x.y, x.log_sums, x.partials, x.mask, x.slopes, x.sinks,
                             x.query_lengths, x.key_lengths, x.pages);
    return x;
  }
  /// Computes the part's numbers. One thread calls this before a barrier; then others may read the part. On
  /// targets that keep arguments in LDS, each step recomputes the part in scalar registers instead.
  KG_DEVICE void note(const Attention<T, K>& x) const {
    if constexpr (!native::args_in_lds)
      noted = bit_cast<ArgsInLds<AttentionPartNumbers>>(AttentionPart<T, K>(x, rows_each(), index).numbers());
  }
  KG_DEVICE AttentionPart<T, K> part(const Attention<T, K>& x) const {
    if constexpr (native::args_in_lds)
      return AttentionPart<T, K>(x, rows_each(), index);
    else
      return AttentionPart<T, K>(x, bit_cast<AttentionPartNumbers>(noted));
  }
  /// Calls look(part) without a barrier on targets where the operands are directly available.
  template <class Look>
  KG_DEVICE void look(Look look) const {
    if constexpr (native::args_in_lds)
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
