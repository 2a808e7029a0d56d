#pragma once
/// How a GPU's block moves elements to the order of a digit. The waves rank theirs, and what they move is put in order
/// in shared memory first, so that neighbours are written together.
#include "device/peers.hpp"
#include "device/prefix.hpp"
#include "device/tally.hpp"
#include "plan/sort.hpp"

namespace kg::detail {

template <class K>
KG_DEVICE u32 digit_of(K key, u32 shift) {
  return static_cast<u32>(key >> shift) & (digits - 1);
}

/// What is moved where: keys, and the places they came from, which are first_place and on where `places` is null.
template <class K>
struct RadixMove {
  const K* keys;
  const u32* places;
  K* next_keys;
  u32* next_places;
  u32 first_place, shift;
};

/// A GPU's block as it moves parts of a tile: the threads of whole waves, in narrow blocks of one.
template <class K>
struct RadixBlock {
  static constexpr u32 most_waves = max_waves / (1024 / block_threads);
  using Word = decltype(K() + u32());  // of a key or a place

  /// Of each digit: where its first element goes; the same less where that one stands in the part in order.
  u32 *start, *shift;
  u32* counter;   ///< of each wave and digit
  Word* ordered;  ///< keys, then places
  u32 lanes, waves, wave, lane;

  KG_DEVICE RadixBlock(u32* start, u32* shift, u32* counter, Word* ordered)
      : start(start), shift(shift), counter(counter), ordered(ordered) {
    lanes = block_size() < wave_size() ? block_size() : wave_size();
    waves = (block_size() < block_threads ? block_size() : block_threads) / lanes;
    wave = thread_index() / lanes;
    lane = thread_index() % lanes;
  }
  KG_DEVICE u32 threads() const { return waves * lanes; }

  /// Moves elements `begin` and on: `each` a thread, or `count` where that is one. A wave takes a run of neighbours, its
  /// lanes side by side.
  template <u32 each>
  KG_DEVICE void run(const RadixMove<K>& move, u32 begin, u32 count) const {
    const u32 first = begin + wave * each * lanes + lane;
    const bool works = wave < waves && (each > 1 || thread_index() < count);
    K key[each];
    u32 place[each], rank[each], target[each];
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      const u32 i = first + e * lanes;
      key[e] = works ? move.keys[i] : K(0);
      place[e] = move.places && works ? move.places[i] : move.first_place + i;
    }
    for (u32 i = thread_index(); i < waves * digits; i += block_size()) counter[i] = 0;
    sync();
    u32* const own = counter + wave * digits;
    KG_UNROLL for (u32 e = 0; e < each; ++e) {
      const u32 digit = digit_of(key[e], move.shift);
      const Peers peers = Peers::of<digit_bits>(digit, works);
      const u32 before = works && peers.is_first() ? tally(&own[digit], peers.count) : 0;
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
    // Neighbours are written together.
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
      KG_UNROLL for (u32 e = 0; e < each; ++e) ordered[rank[e]] = place[e];
    }
    sync();
    if (works) {
      KG_UNROLL for (u32 e = 0; e < each; ++e) move.next_places[target[e]] =
          static_cast<u32>(ordered[next + e * step]);
    }
    sync();
  }

 private:
  /// What each wave counted becomes where in the part, in order, its first element of the digit stands.
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
        u32& place = counter[w * digits + digit];
        const u32 counted = place;
        place = before;
        before += counted;
      }
      start[digit] = shift[digit] + before;
    }
  }
};

}  // namespace kg::detail
