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

/// Declares all operands but `fault` to be in global memory: pointers that are read back from LDS lose their address space, and
/// flat accesses also wait for LDS. The addresses of `fault` would take scalar registers for code that is hardly ever reached.
template <class T, class K>
KG_DEVICE void operands_in_global_memory(Attention<T, K>& x) {
  native::in_global_memory(x.q, x.k, x.v, x.y, x.log_sum_exp, x.partials, x.mask, x.alibi_slopes, x.sinks,
                           x.query_lengths, x.key_lengths, x.block_table);
}

/// One work item (AttentionTile), processed in steps. On AMD GPUs, arguments are in LDS (`shared_args`) to save scalar registers,
/// and each step reloads them; elsewhere they stay in `given`. with_reloaded_tile(step) is a barrier, the reload and
/// step(tile). with_tile(step) is for use within a step: the same on AMD GPUs, only step(tile) elsewhere.
template <class T, class K, u32 rows_each>
struct AttentionItemWork {
  const ArgsInLds<Attention<T, K>>& shared_args;
  const Attention<T, K>& given;
  ArgsInLds<AttentionTileData>& tile_args;  ///< computed by one thread
  Uniform index;

  KG_DEVICE Attention<T, K> operands() const {
    sync();
    Attention<T, K> x = load_args(shared_args, given);
    operands_in_global_memory(x);
    return x;
  }
  /// Stores the tile in `tile_args`. One thread calls this before a barrier; then others may call tile(). On targets that
  /// keep arguments in LDS, each step recomputes the tile in scalar registers instead.
  KG_DEVICE void store_tile_args(const Attention<T, K>& x) const {
    if constexpr (!native::args_in_lds)
      tile_args = bit_cast<ArgsInLds<AttentionTileData>>(AttentionTile<T, K>(x, rows_each, index).data());
  }
  KG_DEVICE AttentionTile<T, K> tile(const Attention<T, K>& x) const {
    if constexpr (native::args_in_lds)
      return AttentionTile<T, K>(x, rows_each, index);
    else
      return AttentionTile<T, K>(x, bit_cast<AttentionTileData>(tile_args));
  }
  template <class Step>
  KG_DEVICE void with_tile(Step step) const {
    if constexpr (native::args_in_lds)
      with_reloaded_tile(step);
    else
      step(tile(given));
  }
  template <class Step>
  KG_DEVICE void with_reloaded_tile(Step step) const {
    const Attention<T, K> x = operands();
    step(tile(x));
  }
};

}  // namespace kg::detail
