#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Calls f(outer, inner) for every pair below the two counts, each at most Side. Neighbouring threads of a
/// block get neighbouring `inner`; a CPU's single thread walks them in loops that vectorise.
template <u32 Side, class F>
KG_DEVICE void for_each_in_tile(u32 outer_count, u32 inner_count, F f) {
  if constexpr (is_gpu) {
    for (u32 i = thread_index(); i < Side * Side; i += block_size()) {
      const u32 outer = i / Side, inner = i % Side;
      if (outer < outer_count && inner < inner_count) f(outer, inner);
    }
  } else {
    for (u32 outer = 0; outer < outer_count; ++outer)
      for (u32 inner = 0; inner < inner_count; ++inner) f(outer, inner);
  }
}

}  // namespace kg
