#pragma once
#include "engines/each.hpp"
#include "engines/position.hpp"
#include "engines/steps.hpp"

namespace kg {

template <int N, class F, class... S>
KG_DEVICE void for_each_position(const Strided<N>& layout, F f, S...) {
  for_each_index(layout.elements, [&](u64 i) KG_INLINE { f(locate(layout, static_cast<u32>(i))); });
}

}  // namespace kg
