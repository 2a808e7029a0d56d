#pragma once
#include "device/group.hpp"

namespace kg {

/// Of a number each thread of a group has: the sum of those before this thread's, and of all.
struct Prefix {
  u32 before, total;
};

/// All threads of a block call this.
KG_DEVICE Prefix prefix_sum(const Group& group, u32 value) {
  if constexpr (!is_gpu) return {0, value};
  const u32 width = group.size < wave_size() ? group.size : wave_size();
  const u32 lane = thread_index() & (wave_size() - 1), rank = group.rank & (width - 1);
  u32 sum = value;
  for (u32 distance = 1; distance < width; distance *= 2) {
    const u32 earlier = native::lane_word(sum, rank >= distance ? lane - distance : lane);
    if (rank >= distance) sum += earlier;
  }
  // Lanes of threads that belong to no group may lack the last one.
  const bool works = group.index < group.count;
  Prefix prefix{sum - value, native::lane_word(sum, works ? lane | (width - 1) : lane)};
  if (group.size > width) {
    KG_SHARED u32 partial[detail::max_waves];
    const u32 waves = group.size / width, first = group.index * waves;
    sync();  // of an earlier call everyone has read
    if (works && rank == 0) partial[first + group.rank / width] = prefix.total;
    sync();
    if (works) {
      const u32 wave = group.rank / width;
      u32 total = 0;
      for (u32 i = 0; i < waves; ++i) {
        if (i == wave) prefix.before += total;
        total += partial[first + i];
      }
      prefix.total = total;
    }
  }
  return prefix;
}

}  // namespace kg
