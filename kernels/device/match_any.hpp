#pragma once
#include "device/dialect.hpp"

namespace kg {

/// The lanes of a wave that have the same value.
struct MatchAny {
  u32 before;  ///< matching lanes below this thread's
  u32 count;
  u32 first;  ///< the lowest matching lane

  /// Compares the low `Bits` bits of `value` among participating lanes. All lanes of a wave must call this;
  /// the result of a lane that does not participate is unspecified.
  template <u32 Bits>
  static KG_DEVICE MatchAny of(u32 value, bool takes_part) {
    native::LaneBits same = native::ballot(takes_part);
    KG_UNROLL for (u32 bit = 0; bit < Bits; ++bit) {
      const bool is_set = (value >> bit & 1) != 0;
      const native::LaneBits set = native::ballot(is_set);
      same &= is_set ? set : ~set;
    }
    const u32 lane = thread_index() & (wave_size() - 1);
    const native::LaneBits earlier = (native::LaneBits(1) << lane) - 1;
    return {native::count_bits(same & earlier), native::count_bits(same),
            takes_part ? native::lowest_bit(same) : lane};
  }
  KG_DEVICE bool is_first() const { return before == 0; }
};

}  // namespace kg
