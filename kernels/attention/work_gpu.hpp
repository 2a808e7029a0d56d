#pragma once
#include "attention/tile.hpp"
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

/// native::in_global_memory for all but `fault`: code that is not reached would take scalar registers for its addresses.
template <class T, class K>
KG_DEVICE void operands_in_global_memory(Attention<T, K>& x) {
  native::in_global_memory(x.q, x.k, x.v, x.y, x.log_sum_exp, x.partials, x.mask, x.alibi_slopes, x.sinks,
                           x.query_lengths, x.key_lengths, x.block_table);
}

/// One work item (AttentionTile), processed in steps. To save scalar registers, arguments are in LDS on AMD GPUs
/// (`shared_args`), where each step reloads them after a barrier; elsewhere they stay in `given`. take(step): barrier, reload,
/// step(tile). look(step): the same, without the barrier where arguments need no reload.
template <class T, class K, class Rows>
struct AttentionWork {
  const ArgsInLds<Attention<T, K>>& shared_args;
  const Attention<T, K>& given;
  ArgsInLds<AttentionTileNumbers>& noted;  ///< the tile's numbers, computed by one thread
  Rows rows_each;                          ///< rows per tile
  Uniform64 index;

  KG_DEVICE Attention<T, K> operands() const {
    sync();
    Attention<T, K> x = load_args(shared_args, given);
    operands_in_global_memory(x);
    return x;
  }
  /// Stores the tile's numbers in `noted`. One thread calls this before a barrier; then others may call tile(). On targets that
  /// keep arguments in LDS, each step recomputes the tile in scalar registers instead.
  KG_DEVICE void note(const Attention<T, K>& x) const {
    using Tile = AttentionTile<T, K>;
    if constexpr (!native::args_in_lds)
      noted = bit_cast<ArgsInLds<AttentionTileNumbers>>(
          Tile(x, rows_each(), Tile::longest_first(x.shape, rows_each(), index)).numbers());
  }
  KG_DEVICE AttentionTile<T, K> tile(const Attention<T, K>& x) const {
    if constexpr (native::args_in_lds)
      return AttentionTile<T, K>(x, rows_each(), index);
    else
      return AttentionTile<T, K>(x, bit_cast<AttentionTileNumbers>(noted));
  }
  template <class Step>
  KG_DEVICE void look(Step step) const {
    if constexpr (native::args_in_lds)
      take(step);
    else
      step(tile(given));
  }
  template <class Step>
  KG_DEVICE void take(Step step) const {
    const Attention<T, K> x = operands();
    step(tile(x));
  }
};

}  // namespace kg::detail
