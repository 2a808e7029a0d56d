#pragma once
#include "engines/elements.hpp"
#include "engines/index_check.hpp"

namespace kg {

template <class T, class Id>
KG_DEVICE void look_up(const T* x, const Id* ids, T* y, const Strided<2>& layout, i64 step, u64 first,
                       const IndexCheck& check) {
  for_each_element(
      layout,
      [&](u32 index, const Position<2>& at)
          KG_INLINE { return check.resolve(ids[at.offset[1]], [&] { return first + index; }); },
      [&](const Position<2>& at, i64 place)
          KG_INLINE { return place >= 0 ? x[at.offset[0] + place * step] : T{}; },
      [&](u32 index, i64, T value) KG_INLINE { y[index] = value; });
}

}  // namespace kg
