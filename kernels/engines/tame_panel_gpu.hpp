#pragma once
/// Panels for a unit that is right for tame elements only.
#include "device/tame_products.hpp"
#include "engines/whole_panel_gpu.hpp"

namespace kg::detail {

/// A WholePanel of elements as T's own unit takes them; `products` knows whether all were tame.
template <class T, u32 rows, u32 depth, bool by_terms>
struct TamePanel : WholePanel<T, T, rows, depth, by_terms> {
  using Whole = WholePanel<T, T, rows, depth, by_terms>;
  using Whole::held, Whole::Whole;

  TameProducts<T> products;

  template <bool lengthwise>
  KG_DEVICE void store_as(T* to) {
    KG_UNROLL for (auto& pack : held) { KG_UNROLL for (u32& pair : pack.word) pair = products.take(pair); }
    Whole::template store_as<lengthwise>(to);
  }
};

/// Whether one of the block's threads says so; all of them call this. `place` is in shared memory.
KG_DEVICE bool is_so_for_any(bool so, u32& place) {
  if (thread_index() == 0) place = 0;
  sync();
  if (so) place = 1;
  sync();
  const bool any = place != 0;
  sync();  // before the next call
  return any;
}

}  // namespace kg::detail
