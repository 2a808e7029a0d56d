#pragma once
#include "device/dialect.hpp"

namespace kg {

/// Moves a tile: store(outer, inner, load(outer, inner)) for every pair below the two counts, each at most
/// Side. Neighbouring threads of a block get neighbouring `inner`, and several loads are under way before the
/// first store; a CPU's single thread walks the pairs in loops that vectorise.
template <u32 Side, class Load, class Store>
KG_DEVICE void move_tile(u32 outer_count, u32 inner_count, Load load, Store store) {
  if constexpr (is_gpu) {
    constexpr u32 in_flight = Side * Side / 256 > 8 ? 8 : Side * Side / 256;
    const u32 step = block_size();
    for (u32 base = thread_index(); base < Side * Side; base += step * in_flight) {
      decltype(load(0u, 0u)) values[in_flight];
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
        const u32 outer = (base + k * step) / Side, inner = (base + k * step) % Side;
        if (outer < outer_count && inner < inner_count) values[k] = load(outer, inner);
      }
      KG_UNROLL for (u32 k = 0; k < in_flight; ++k) {
        const u32 outer = (base + k * step) / Side, inner = (base + k * step) % Side;
        if (outer < outer_count && inner < inner_count) store(outer, inner, values[k]);
      }
    }
  } else {
    for (u32 outer = 0; outer < outer_count; ++outer)
      for (u32 inner = 0; inner < inner_count; ++inner) store(outer, inner, load(outer, inner));
  }
}

}  // namespace kg
