#pragma once
/// How a tile of a row learns where its elements of each digit belong while the tiles before it are still being counted: decoupled
/// look-back (Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back", NVIDIA 2016), as in Adinets and
/// Merrill, "Onesweep: A Faster Least Significant Digit Radix Sort for GPUs", 2022.
#include "device/atomic.hpp"
#include "plan/sort.hpp"

namespace kg::detail {

/// The words of a tile, one for each digit, that later tiles of its row read: 0; 1 plus the tile's number of elements with the
/// digit; or, beyond all such counts, where the elements of the next tile begin. The first tile's is never a count.
struct LookBack {
  u32* words;         ///< of this tile; those of the tile before it are `digits` words earlier
  const u32* totals;  ///< the row's elements with each digit
  u32 number, tile;   ///< of the tile in its row, and its maximum number of elements

  /// The row's elements with the digit if this is the first tile, else 0: only that one needs their sums.
  KG_DEVICE u32 total(u32 digit) const { return number == 0 ? totals[digit] : 0; }

  KG_DEVICE void announce(u32 digit, u32 count) const {
    if (number != 0) atomic_store(words + digit, 1 + count);
  }
  /// Where the tile's `count` elements with the digit begin. `first` is the sum of the total()s of smaller digits.
  KG_DEVICE u32 begin_of(u32 digit, u32 count, u32 first) const {
    const u32 begin = number == 0 ? first : sum_before(digit);
    atomic_store(words + digit, end_word(begin + count));
    return begin;
  }

 private:
  KG_DEVICE u32 end_word(u32 end) const { return tile + 2 + end; }

  KG_DEVICE u32 sum_before(u32 digit) const {
    constexpr u32 together = is_gpu ? 4 : 1;  // loads in flight
    u32 sum = 0;
    KG_NO_UNROLL for (u32 next = number; true;) {  // the tile after those that are still to be added
      u32 word[together];
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        const u32 back = k < next ? k + 1 : next;
        word[k] = atomic_load(words + digit - static_cast<i64>(number - next + back) * digits);
      }
      bool is_known = true;
      KG_UNROLL for (u32 k = 0; k < together; ++k) {
        if (word[k] > tile + 1) {
          if (is_known) return sum + (word[k] - end_word(0));
        }
        is_known = is_known && word[k] != 0;
        sum += is_known ? word[k] - 1 : 0;
        next -= is_known;
      }
    }
  }
};

}  // namespace kg::detail
