#pragma once
/// Groups of cooperating threads in a block, correct for every block size and wave size.
#include "device/dialect.hpp"

namespace kg {

/// `size` consecutive threads, a power of two. A block is divided into as many groups as fit. Leftover
/// threads belong to no group (index == count) but must take part in every call below, as all threads of the
/// block must. On a CPU a group is the block's one thread.
struct Group {
  u32 size;
  u32 rank;   ///< of this thread in its group
  u32 index;  ///< of the group in its block
  u32 count;  ///< groups in the block
  u32 lane;   ///< of this thread in its wave

  /// `wanted` is a power of two. The group is smaller if the block is.
  KG_DEVICE explicit Group(u32 wanted) : Group(wanted, thread_index(), block_size()) {}
  /// For blocks of more than one dimension: `thread` is the linear index, x first, among `threads`.
  KG_DEVICE Group(u32 wanted, u32 thread, u32 threads) : size(wanted) {
    while (size > threads) size >>= 1;
    const u32 bits = native::lowest_bit(size);  // avoids slow integer divisions
    rank = thread & (size - 1);
    index = thread >> bits;
    count = threads >> bits;
    if (index > count) index = count;
    lane = thread & (wave_size() - 1);
  }
};

namespace detail {

/// Waves of a block: 1024 threads in waves of 32.
inline constexpr u32 max_waves = 1024 / 32;

template <class T>
struct Words {
  u32 word[sizeof(T) / sizeof(u32)];
};

}  // namespace detail

/// The value of lane `lane` of this thread's wave. Unspecified if that lane does not exist.
template <class T>
KG_DEVICE T lane_value(T value, u32 lane) {
  static_assert(sizeof(T) % sizeof(u32) == 0, "lanes exchange words of 32 bits");
  auto words = bit_cast<detail::Words<T>>(value);
  KG_UNROLL for (u32 i = 0; i < sizeof(T) / sizeof(u32); ++i) words.word[i] =
      native::lane_word(words.word[i], lane);
  return bit_cast<T>(words);
}

/// The value of the lane whose index is this thread's lane ^ `mask`.
template <class T>
KG_DEVICE T lane_xor(const Group& group, T value, u32 mask) {
  return lane_value(value, group.lane ^ mask);
}
/// lane_xor for a mask known at compile time; AMD GPUs then exchange values without shared memory. `lane` is
/// this thread's lane.
template <class T>
KG_DEVICE T lane_xor(u32 lane, T value, u32 mask) {
  static_assert(sizeof(T) % sizeof(u32) == 0, "lanes exchange words of 32 bits");
  auto words = bit_cast<detail::Words<T>>(value);
  KG_UNROLL for (u32 i = 0; i < sizeof(T) / sizeof(u32); ++i) words.word[i] =
      native::lane_xor_word(words.word[i], lane, mask);
  return bit_cast<T>(words);
}

namespace detail {

/// Reduces the values of `width` consecutive lanes, a power of two; each gets the result.
template <class T, class Op>
KG_DEVICE T lanes_reduce(const Group& group, T value, u32 width, Op op) {
  KG_NO_UNROLL for (u32 mask = width / 2; mask > 0; mask /= 2) value =
      op(value, lane_xor(group, value, mask));
  return value;
}

}  // namespace detail

/// Reduces the values of a group's threads by op, in a fixed order; every thread gets the result. op must be
/// associative and commutative up to rounding, and op(a, b) must be bitwise equal to op(b, a).
template <class T, class Op>
KG_DEVICE T group_reduce(const Group& group, T value, Op op) {
  if constexpr (is_gpu) {
    // Recomputed by each call: kept live between calls it would occupy scalar registers.
    const u32 size = uniform_optimization_barrier(group.size);
    // A group consists of whole waves or is part of one wave, so all of its lanes exist.
    const u32 width = size < wave_size() ? size : wave_size();
    value = detail::lanes_reduce(group, value, width, op);
    if (size > width) {
      // Raw words: a shared array of T would need constructors.
      KG_SHARED detail::Words<T> partial[detail::max_waves];
      const u32 bits = native::lowest_bit(width);  // avoids slow integer divisions
      const u32 waves = size >> bits, first = group.index * waves;
      sync();  // an earlier call may still be reading `partial`
      if ((group.rank & (width - 1)) == 0 && group.index < group.count)
        partial[first + (group.rank >> bits)] = bit_cast<detail::Words<T>>(value);
      sync();
      // A wave has at least as many lanes as a block has waves.
      if (group.index < group.count) value = bit_cast<T>(partial[first + (group.lane & (waves - 1))]);
      value = detail::lanes_reduce(group, value, waves, op);
    }
  }
  return value;
}

}  // namespace kg
