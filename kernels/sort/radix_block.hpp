#pragma once
/// How a GPU block moves a tile to the order of a digit. The waves rank their elements, which are first sorted in shared memory, so
/// that stores are coalesced.
#include "device/histogram.hpp"
#include "device/match_any.hpp"
#include "device/prefix.hpp"
#include "plan/sort.hpp"
#include "sort/look_back.hpp"

namespace kg::detail {

template <class K>
KG_DEVICE u32 digit_of(K key, u32 shift) {
  return static_cast<u32>(key >> shift) & (digits - 1);
}

/// Sources and destinations: keys and their source indices; if `indices` is null, the indices start at
/// first_index.
template <class K>
struct RadixMove {
  const K* keys;
  const u32* indices;
  K* next_keys;
  u32* next_indices;
  u32 first_index, shift;
};

/// A GPU block that moves a tile, `each` elements per thread. It uses the threads of whole waves; blocks smaller than a wave use all
/// threads.
template <class K>
struct RadixBlock {
  static constexpr u32 most_waves = max_waves / (1024 / block_threads), each = radix_each(sizeof(K));
  using Word = decltype(K() + u32());  // a key or an index

  u32* shift;     ///< per digit: the destination of its first element minus its position in the sorted tile
  u32* counter;   ///< per wave and digit
  Word* ordered;  ///< keys, then indices
  u32 lanes, waves, wave, lane;

  KG_DEVICE RadixBlock(u32* shift, u32* counter, Word* ordered)
      : shift(shift), counter(counter), ordered(ordered) {
    lanes = block_size() < wave_size() ? block_size() : wave_size();
    waves = (block_size() < block_threads ? block_size() : block_threads) / lanes;
    wave = thread_index() / lanes;
    lane = thread_index() % lanes;
  }

  /// Moves `count` elements, at least one. A wave takes a contiguous span, its lanes consecutive elements. What the block has beyond
  /// `count` is padding of the greatest digit, which comes last.
  KG_DEVICE void run(const RadixMove<K>& move, u32 count, const LookBack& look_back) const {
    const bool works = wave < waves;
    const u32 first = wave * each * lanes + lane;
    K key[each];
    u32 index[each], rank[each], target[each];
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      const u32 i = first + e * lanes, loaded = i < count ? i : count - 1;
      key[e] = move.keys[loaded];
      if (loaded != i) key[e] = static_cast<K>(~K(0));
      index[e] = move.indices ? move.indices[loaded] : move.first_index + loaded;
    }
    for (u32 i = thread_index(); i < waves * digits; i += block_size()) counter[i] = 0;
    sync();
    u32* const own = counter + wave * digits;
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      const u32 digit = digit_of(key[e], move.shift);
      const MatchAny peers = MatchAny::of<digit_bits>(digit, works);
      const u32 before = works && peers.is_first() ? histogram_add(&own[digit], peers.count) : 0;
      rank[e] = native::lane_word(before, peers.first) + peers.before;
    }
    sync();
    rank_waves(look_back, each * waves * lanes - count);
    sync();
    if (works) {
      KG_UNROLL for (u32 e = 0; e < each; ++e) {
        rank[e] += own[digit_of(key[e], move.shift)];
        ordered[rank[e]] = key[e];
      }
    }
    sync();
    // Stores contiguous elements together.
    const u32 next = thread_index(), step = waves * lanes, stored = next < step ? count : 0;
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      const u32 i = next + e * step;
      if (i >= stored) continue;
      key[e] = static_cast<K>(ordered[i]);
      target[e] = shift[digit_of(key[e], move.shift)] + i;
      if (move.next_keys) move.next_keys[target[e]] = key[e];
    }
    sync();
    if (works) {
      KG_UNROLL for (u32 e = 0; e < each; ++e) ordered[rank[e]] = index[e];
    }
    sync();
    KG_UNROLL for (u32 e = 0; e < each; ++e) if (next + e * step < stored) move.next_indices[target[e]] =
        static_cast<u32>(ordered[next + e * step]);
  }

 private:
  /// Turns each wave's counts into the positions, in the sorted tile, of its first element of each digit.
  KG_DEVICE void rank_waves(const LookBack& look_back, u32 padding) const {
    const auto padding_of = [=](u32 digit) KG_INLINE { return digit == digits - 1 ? padding : 0; };
    const Group group(digits);
    const u32 own = digits / group.size, first = group.rank * own;
    const bool works = group.index == 0;
    // In one sum: the tile's elements with smaller digits, and above them the row's.
    u64 sum = 0;
    if (works) {
      KG_NO_UNROLL for (u32 digit = first; digit < first + own; ++digit) {
        u32 count = 0;
        KG_NO_UNROLL for (u32 w = 0; w < waves; ++w) count += counter[w * digits + digit];
        look_back.announce(digit, count - padding_of(digit));
        sum += u64{look_back.total(digit)} << 32 | count;
      }
    }
    u64 smaller = prefix_sum(group, sum).before;
    if (!works) return;
    KG_NO_UNROLL for (u32 digit = first; digit < first + own; ++digit) {
      const u32 begin = static_cast<u32>(smaller);
      u32 end = begin;
      KG_NO_UNROLL for (u32 w = 0; w < waves; ++w) {
        u32& offset = counter[w * digits + digit];
        const u32 counted = offset;
        offset = end;
        end += counted;
      }
      const u32 count = end - begin - padding_of(digit);
      shift[digit] = look_back.begin_of(digit, count, static_cast<u32>(smaller >> 32)) - begin;
      smaller += u64{look_back.total(digit)} << 32 | (end - begin);
    }
  }
};

}  // namespace kg::detail
