#pragma once
#include "elementwise/inner_strides.hpp"
#include "engines/grid_stride.hpp"
#include "engines/position.hpp"

namespace kg {

template <int N, class F, class G, class... S>
KG_DEVICE void for_each_position(const Strided<N>& first, F f, const Strided<N>& second, G g, S...) {
  const u64 elements = first.elements;
  for_each_index(elements + second.elements, [&](u64 i) KG_INLINE {
    if (i < elements)
      f(locate(first, static_cast<u32>(i)));
    else
      g(locate(second, static_cast<u32>(i - elements)));
  });
}

}  // namespace kg
