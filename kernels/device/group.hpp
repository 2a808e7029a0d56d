#pragma once
/// Threads of a block that work together. Right for every block size and every width of waves.
#include "device/dialect.hpp"

namespace kg {

/// `size` neighbouring threads, a power of two. A block is cut into as many groups as it holds; threads left
/// over belong to none (index == count) but still take part in every call below, as all threads of a block
/// must. On a CPU a group is the block's one thread.
struct Group {
  u32 size;
  u32 rank;   ///< of this thread in its group
  u32 index;  ///< of the group in its block
  u32 count;  ///< groups in a block
  u32 lane;   ///< of this thread in its wave

  /// `wanted` is a power of two; the group is smaller where the block is.
  KG_DEVICE explicit Group(u32 wanted) : Group(wanted, thread_index(), block_size()) {}
  /// Of a block of more than one dim: `thread` of its `threads`, x first.
  KG_DEVICE Group(u32 wanted, u32 thread, u32 threads) : size(wanted) {
    while (size > threads) size >>= 1;
    const u32 bits = native::lowest_bit(size);  // divisions are long
    rank = thread & (size - 1);
    index = thread >> bits;
    count = threads >> bits;
    if (index > count) index = count;
    lane = thread & (wave_size() - 1);
  }
};

namespace detail {

/// Waves of a block: 1024 threads in the narrowest waves there are.
inline constexpr u32 max_waves = 1024 / 32;

template <class T>
struct Words {
  u32 word[sizeof(T) / sizeof(u32)];
};

}  // namespace detail

/// The value of that lane of this thread's wave. Unspecified where that lane does not exist.
template <class T>
KG_DEVICE T lane_value(T value, u32 lane) {
  static_assert(sizeof(T) % sizeof(u32) == 0, "lanes exchange words of 32 bits");
  auto words = bit_cast<detail::Words<T>>(value);
  KG_UNROLL for (u32 i = 0; i < sizeof(T) / sizeof(u32); ++i) words.word[i] =
      native::lane_word(words.word[i], lane);
  return bit_cast<T>(words);
}

/// The value of the lane whose number differs from this thread's in the bits of `mask`.
template <class T>
KG_DEVICE T lane_xor(const Group& group, T value, u32 mask) {
  return lane_value(value, group.lane ^ mask);
}
/// The same for a mask that is known when this is compiled; AMD GPUs exchange such without shared memory. `lane` is this
/// thread's.
template <class T>
KG_DEVICE T lane_xor(u32 lane, T value, u32 mask) {
  static_assert(sizeof(T) % sizeof(u32) == 0, "lanes exchange words of 32 bits");
  auto words = bit_cast<detail::Words<T>>(value);
  KG_UNROLL for (u32 i = 0; i < sizeof(T) / sizeof(u32); ++i) words.word[i] =
      native::lane_xor_word(words.word[i], lane, mask);
  return bit_cast<T>(words);
}

/// op over the values of a group's threads, in a fixed order; each of them gets the result. op is associative
/// and commutative up to rounding, and op(a, b) has the bits of op(b, a).
template <class T, class Op>
KG_DEVICE T group_reduce(const Group& group, T value, Op op) {
  if constexpr (is_gpu) {
    // Worked out by each call: kept for the next one it would fill scalar registers meanwhile.
    const u32 size = worked_out_again(group.size);
    // Groups are whole or lie inside a wave: a group's lanes all exist.
    const u32 width = size < wave_size() ? size : wave_size();
    for (u32 mask = width / 2; mask > 0; mask /= 2) value = op(value, lane_xor(group, value, mask));
    if (size > width) {
      // Raw words: a shared array of T would ask for constructors.
      KG_SHARED detail::Words<T> partial[detail::max_waves];
      const u32 bits = native::lowest_bit(width);  // divisions are long
      const u32 waves = size >> bits, first = group.index * waves;
      sync();  // of an earlier call everyone has read
      if ((group.rank & (width - 1)) == 0 && group.index < group.count)
        partial[first + (group.rank >> bits)] = bit_cast<detail::Words<T>>(value);
      sync();
      if (group.index < group.count) {
        value = bit_cast<T>(partial[first]);
        for (u32 i = 1; i < waves; ++i) value = op(value, bit_cast<T>(partial[first + i]));
      }
    }
  }
  return value;
}

}  // namespace kg
