#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "footprint.hpp"
#include "releases.hpp"

namespace kernelgen::amdgpu {

/// The last accesses of each word of LDS and global memory in a launch, and which of them happen before others. Waves are
/// the threads of this model: a wave's own accesses are in order. Two waves' are in order by a barrier of their block
/// between them, or by way of an atomic: what a wave and its block did before an atomic access (and, by a barrier,
/// what the block did before that) happens before what others do after a later access of the same word that is atomic or
/// coherent. Time is the number of the memory instruction in the launch; a wave that synchronises knows what was released
/// until a time, by whomever: a simplification that can hide a race and never invents one.
///
/// A plain load of a word that other waves change by atomics is a race, unless it starts a compare-and-swap loop: LLVM
/// makes such loops of atomics that a GPU lacks. Then its wave swaps the word and expects what it loaded: until it does, the
/// load is unconfirmed.
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
    std::uint32_t complete_until = 0;   ///< the wave's accesses since then may not be complete
    std::uint32_t instruction = 0;      ///< offset in the code object
    const std::byte* before = nullptr;  ///< the bytes until now, null if they are not known
  };
  struct Bytes {
    bool in_lds = false;
    std::uint64_t address = 0, count = 0;
  };
  /// The other access of a race.
  struct Race {
    std::uint32_t wave = 0, instruction = 0;
    bool other_stored = false;
  };

  /// A load that races with another wave's atomic.
  struct RacingLoad {
    Bytes bytes;
    std::uint32_t instruction = 0;
    Race race;
  };

  explicit History(unsigned waves_a_block)
      : waves_a_block_(waves_a_block), releases_(waves_a_block), unconfirmed_(waves_a_block) {}

  void start_block(std::size_t lds_bytes);

  std::optional<Race> access(Actor& actor, const Access& access, const Bytes& bytes);

  /// The wave swaps a word if it is `expected`.
  void confirm_load(const Actor& actor, bool in_lds, std::uint64_t address, std::uint32_t expected);
  /// At the end of a block: an unconfirmed load of that wave that nothing orders.
  std::optional<RacingLoad> racing_load(std::uint32_t wave);

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
  struct Unconfirmed {
    std::uint32_t value = 0, instruction = 0;  ///< of the load
    Race race;
    Stamp earlier;  ///< of load and atomic
    Actor later;
  };

  std::optional<Race> access_word(const Bytes& part, Actor& actor, const Access& access);
  auto& unconfirmed_of(std::uint32_t wave) { return unconfirmed_[wave % waves_a_block_]; }
  Word& word_at(const Bytes& part);
  bool ordered_by_barrier(const Stamp& earlier, const Actor& actor) const;
  bool happens_before(const Stamp& earlier, const Actor& actor) const;

  unsigned waves_a_block_;
  std::vector<Word> lds_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_page_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
  Releases releases_;
  /// By wave in the block and key_of() a word.
  std::vector<std::unordered_map<std::uint64_t, Unconfirmed>> unconfirmed_;
};

}  // namespace kernelgen::amdgpu
