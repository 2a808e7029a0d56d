#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kernelgen::amdgpu {

/// What the waves of a launch made visible to each other, and when.
class Releases {
 public:
  struct Release {
    std::uint32_t time = 0;
    std::uint32_t complete_until = 0;  ///< what the wave did before is visible
    std::uint32_t waits = 0;           ///< so is what its block did before it left that many barriers
  };

  explicit Releases(unsigned waves_a_block) : waves_a_block_(waves_a_block) {}

  void add(std::uint32_t wave, const Release& release);

  /// Whether who knows what was released until `known` sees an access that `wave` made at `time`, `signals` barriers on.
  bool show(std::uint32_t wave, std::uint32_t time, std::uint32_t signals, std::uint32_t known) const;

 private:
  unsigned waves_a_block_;
  /// By block and wave in it: sorted by time, each with what those before it released.
  std::unordered_map<std::uint32_t, std::vector<std::vector<Release>>> blocks_;
};

}  // namespace kernelgen::amdgpu
