#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "footprint.hpp"

namespace kernelgen::amdgpu {

/// The last accesses of each word of LDS and global memory in a launch, and which of them happen before others. Waves are
/// the threads of this model: a wave's own accesses are in order. Two waves' are in order by a barrier of their block
/// between them, or by way of an atomic: what a wave and its block did before an atomic access (and, by a barrier,
/// what the block did before that) happens before what others do after a later access of the same word that is atomic or
/// coherent. Time is the number of the memory instruction in the launch; a wave that synchronises knows what was released
/// until a time, by whomever: a simplification that can hide a race and never invents one.
class History {
 public:
  /// A wave as the others see it.
  struct Actor {
    std::uint32_t wave = 0;                ///< in the launch
    std::uint32_t block = 0;               ///< in the launch
    std::uint32_t signals = 0, waits = 0;  ///< of barriers until now
    std::uint32_t known = 0;               ///< sees what was released until then
  };
  struct Access {
    Footprint::Use use = Footprint::Use::none;
    bool coherent = false;
    bool same_value = false;  ///< a store of what is there
    std::uint32_t time = 0;
    std::uint32_t complete_until = 0;  ///< the wave's accesses since then may not be complete
    std::uint32_t instruction = 0;     ///< offset in the code object
  };
  /// The other access of a race.
  struct Race {
    std::uint32_t wave = 0, instruction = 0;
    bool other_stored = false;
  };

  explicit History(unsigned waves_a_block) : waves_a_block_(waves_a_block) {}

  void start_block(std::size_t lds_bytes);

  std::optional<Race> access_lds(Actor& actor, const Access& access, std::uint64_t address,
                                 std::uint64_t bytes);
  std::optional<Race> access_global(Actor& actor, const Access& access, std::uint64_t address,
                                    std::uint64_t bytes);

  /// A barrier does not order an access of LDS that its wave did not wait for.
  void carry_over_barrier(const Actor& actor, std::uint32_t word, std::uint32_t time);

  bool lds_was_written(std::uint64_t address) const {
    return address / 4 < lds_.size() && lds_[address / 4].write.mask != 0;
  }

 private:
  struct Stamp {
    std::uint32_t time = 0, wave = 0, instruction = 0, signals = 0;
    std::uint8_t mask = 0;  ///< bytes of the word; 0: no access
    bool atomic = false;
  };
  struct Word {
    Stamp write;
    Stamp store;  ///< the last write that was not atomic
    std::array<Stamp, 2> reads;
  };
  static constexpr std::size_t page_bytes = 4096;
  using Page = std::array<Word, page_bytes / 4>;
  /// What a wave made visible at a time.
  struct Release {
    std::uint32_t time = 0, wave = 0, complete_until = 0, waits = 0;
  };

  std::optional<Race> access_word(Word& word, std::uint8_t mask, Actor& actor, const Access& access,
                                  bool global);
  bool happens_before(const Stamp& earlier, const Actor& actor) const;
  Word& global_word(std::uint64_t address);

  unsigned waves_a_block_;
  std::vector<Word> lds_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_page_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
  std::unordered_map<std::uint32_t, std::vector<Release>> releases_;  ///< by block
};

}  // namespace kernelgen::amdgpu
