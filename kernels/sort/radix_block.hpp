#pragma once
/// How a GPU block moves elements to the order of a digit. The waves rank their elements, which are first
/// sorted in shared memory, so that stores are coalesced.
#include "device/histogram.hpp"
#include "device/match_any.hpp"
#include "device/prefix.hpp"
#include "plan/sort.hpp"

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

/// A GPU block that moves parts of a tile. It uses the threads of whole waves; blocks smaller than a wave use
/// all threads.
template <class K>
struct RadixBlock {
  static constexpr u32 most_waves = max_waves / (1024 / block_threads);
  using Word = decltype(K() + u32());  // a key or an index

  /// Per digit: `start` is the destination of its first element; `shift` is that minus the element's position
  /// in the sorted part.
  u32 *start, *shift;
  u32* counter;   ///< per wave and digit
  Word* ordered;  ///< keys, then indices
  u32 lanes, waves, wave, lane;

  KG_DEVICE RadixBlock(u32* start, u32* shift, u32* counter, Word* ordered)
      : start(start), shift(shift), counter(counter), ordered(ordered) {
    lanes = block_size() < wave_size() ? block_size() : wave_size();
    waves = (block_size() < block_threads ? block_size() : block_threads) / lanes;
    wave = thread_index() / lanes;
    lane = thread_index() % lanes;
  }
  KG_DEVICE u32 threads() const { return waves * lanes; }

  /// Moves the elements from `begin` on: `each` per thread, or `count` in total if `each` is 1. A wave takes
  /// a contiguous span, its lanes consecutive elements.
  template <u32 each>
  KG_DEVICE void run(const RadixMove<K>& move, u32 begin, u32 count) const {
    const u32 first = begin + wave * each * lanes + lane;
    const bool works = wave < waves && (each > 1 || thread_index() < count);
    K key[each];
    u32 index[each], rank[each], target[each];
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      const u32 i = first + e * lanes;
      key[e] = works ? move.keys[i] : K(0);
      index[e] = move.indices && works ? move.indices[i] : move.first_index + i;
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
    place_waves();
    sync();
    if (works) {
      KG_UNROLL for (u32 e = 0; e < each; ++e) {
        rank[e] += own[digit_of(key[e], move.shift)];
        ordered[rank[e]] = key[e];
      }
    }
    sync();
    // Stores contiguous elements together.
    const u32 next = thread_index(), step = threads();
    if (works) {
      KG_UNROLL for (u32 e = 0; e < each; ++e) {
        key[e] = static_cast<K>(ordered[next + e * step]);
        target[e] = shift[digit_of(key[e], move.shift)] + next + e * step;
      }
      if (move.next_keys) {
        KG_UNROLL for (u32 e = 0; e < each; ++e) move.next_keys[target[e]] = key[e];
      }
    }
    sync();
    if (works) {
      KG_UNROLL for (u32 e = 0; e < each; ++e) ordered[rank[e]] = index[e];
    }
    sync();
    if (works) {
      KG_UNROLL for (u32 e = 0; e < each; ++e) move.next_indices[target[e]] =
          static_cast<u32>(ordered[next + e * step]);
    }
    sync();
  }

 private:
  /// Turns each wave's counts into the positions, in the sorted part, of its first element of each digit.
  KG_DEVICE void place_waves() const {
    const Group group(digits);
    const u32 own = digits / group.size, first = group.rank * own;
    const bool works = group.index == 0;
    u32 sum = 0;
    if (works)
      for (u32 digit = first; digit < first + own; ++digit)
        for (u32 w = 0; w < waves; ++w) sum += counter[w * digits + digit];
    u32 before = prefix_sum(group, sum).before;
    if (!works) return;
    for (u32 digit = first; digit < first + own; ++digit) {
      shift[digit] = start[digit] - before;
      for (u32 w = 0; w < waves; ++w) {
        u32& offset = counter[w * digits + digit];
        const u32 counted = offset;
        offset = before;
        before += counted;
      }
      start[digit] = shift[digit] + before;
    }
  }
};

}  // namespace kg::detail
