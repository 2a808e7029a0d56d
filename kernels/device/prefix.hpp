#pragma once
#include "device/group.hpp"

namespace kg {

/// Sums of one number per thread of a group: of the threads before this one, and of all.
template <class T>
struct Prefix {
  T before, total;
};

/// Exclusive prefix sum. All threads of a block must call this. T consists of 32-bit words. A thread's value,
/// NaN for example, affects only later threads and the total. Sums of floats are deterministic and pairwise:
/// of n threads' values, none goes through more than log2(n) additions in its wave plus one per wave.
template <class T>
KG_DEVICE Prefix<T> prefix_sum(const Group& group, T value) {
  if constexpr (!is_gpu) return {T(0), value};
  const u32 width = group.size < wave_size() ? group.size : wave_size();
  const u32 lane = thread_index() & (wave_size() - 1), rank = group.rank & (width - 1);
  T sum = value;
  for (u32 distance = 1; distance < width; distance *= 2) {
    const T earlier = lane_value(sum, rank >= distance ? lane - distance : lane);
    if (rank >= distance) sum = earlier + sum;
  }
  // Lanes of threads that belong to no group may lack a last lane.
  const bool works = group.index < group.count;
  const T previous = lane_value(sum, rank > 0 ? lane - 1 : lane);
  Prefix<T> prefix{rank > 0 ? previous : T(0), lane_value(sum, works ? lane | (width - 1) : lane)};
  if (group.size > width) {
    // Raw words, as in group_reduce().
    KG_SHARED detail::Words<T> partial[detail::max_waves];
    const u32 waves = group.size / width, first = group.index * waves;
    sync();  // an earlier call may still be reading `partial`
    if (works && rank == 0) partial[first + group.rank / width] = bit_cast<detail::Words<T>>(prefix.total);
    sync();
    if (works) {
      const u32 wave = group.rank / width;
      T total = T(0);
      KG_NO_UNROLL for (u32 i = 0; i < waves; ++i) {
        if (i == wave) prefix.before = total + prefix.before;
        total = total + bit_cast<T>(partial[first + i]);
      }
      prefix.total = total;
    }
  }
  return prefix;
}

}  // namespace kg
