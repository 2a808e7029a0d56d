#pragma once
/// Panels for a matrix unit that is exact only for elements in range (device/scaled_mfma.hpp).
#include "device/scaled_mfma.hpp"
#include "engines/whole_panel_gpu.hpp"

namespace kg::detail {

/// A WholePanel whose elements are scaled for T's own unit; `products` records elements out of range.
template <class T, u32 rows, u32 depth, bool by_terms>
struct ScaledMfmaPanel : WholePanel<T, T, rows, depth, by_terms> {
  using Whole = WholePanel<T, T, rows, depth, by_terms>;
  using Whole::held, Whole::Whole;

  ScaledMfma<T> products;

  template <bool lengthwise>
  KG_DEVICE void store_as(T* to) {
    KG_UNROLL for (auto& pack : held) { KG_UNROLL for (u32& pair : pack.word) pair = products.take(pair); }
    Whole::template store_as<lengthwise>(to);
  }
};

/// Whether `so` is true for any thread of the block. All of them must call this. `flag` is in shared memory.
KG_DEVICE bool is_so_for_any(bool so, u32& flag) {
  if (thread_index() == 0) flag = 0;
  sync();
  if (so) flag = 1;
  sync();
  const bool any = flag != 0;
  sync();  // before the next call writes it
  return any;
}

}  // namespace kg::detail
