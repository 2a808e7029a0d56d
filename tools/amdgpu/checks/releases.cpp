#include "releases.hpp"

#include <algorithm>

namespace kernelgen::amdgpu {

void Releases::add(std::uint32_t wave, const Release& release) {
  auto& waves = blocks_[wave / waves_a_block_];
  waves.resize(waves_a_block_);
  std::vector<Release>& list = waves[wave % waves_a_block_];
  auto at = std::ranges::lower_bound(list, release.time, {}, &Release::time);
  if (at == list.end() || at->time != release.time)
    at = list.insert(
        at, at == list.begin() ? release : Release{release.time, at[-1].complete_until, at[-1].waits});
  for (; at != list.end() && (at->complete_until < release.complete_until || at->waits < release.waits);
       ++at) {
    at->complete_until = std::max(at->complete_until, release.complete_until);
    at->waits = std::max(at->waits, release.waits);
  }
}

bool Releases::show(std::uint32_t wave, std::uint32_t time, std::uint32_t signals,
                    std::uint32_t known) const {
  const auto block = blocks_.find(wave / waves_a_block_);
  if (block == blocks_.end()) return false;
  for (std::uint32_t i = 0; i < waves_a_block_; ++i) {
    const std::vector<Release>& list = block->second[i];
    const auto after = std::ranges::upper_bound(list, known, {}, &Release::time);
    if (after == list.begin()) continue;
    if (after[-1].waits > signals || (i == wave % waves_a_block_ && time < after[-1].complete_until))
      return true;
  }
  return false;
}

}  // namespace kernelgen::amdgpu
