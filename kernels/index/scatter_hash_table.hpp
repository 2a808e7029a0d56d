#pragma once
/// A hash table of the elements of y that sources are added to, with their sums: open addressing, linear probing. It is in shared
/// memory for one block, or in global memory for a grid.
#include "device/atomic.hpp"
#include "plan/scatter.hpp"

namespace kg::detail {

/// Empty slots are scatter_empty_slot.
template <class Sum>
struct alignas(8) ScatterSlot {
  u32 key;  ///< an element's position in y plus 1; 0 if the slot is empty
  Sum sum;
};

template <class Sum>
struct ScatterHashTable {
  ScatterSlot<Sum>* slots;
  u32 count;  ///< of slots; more than there are sources

  /// Adds to the sum of y[position]. The first source of each position adds `before` too.
  KG_DEVICE void add_source(u32 position, Sum value, Sum before = -Sum{}) const {
    const u32 key = position + 1;
    u32 slot = static_cast<u32>(u64{key * 0x9e3779b9u} * count >> 32), found;
    while ((found = native::atomic_compare_exchange(&slots[slot].key, 0, key)) != 0 && found != key)
      slot = slot + 1 == count ? 0 : slot + 1;
    atomic_add(&slots[slot].sum, found == 0 ? add(before, value) : value);
  }
};

}  // namespace kg::detail
