#pragma once
#include <optional>
#include <span>

#include "amdgpu/checks/footprint.hpp"
#include "amdgpu/wave.hpp"

namespace kernelgen::amdgpu {

/// A second block that executes what a block does, with other values where nothing was written: in registers, LDS, private
/// memory and what is loaded from uninitialised global memory. Wherever the two differ, an uninitialised value has had
/// an effect; where it has none (masked, not selected, multiplied by nothing) they agree. No instruction needs rules
/// of its own.
class Twin {
 public:
  struct Difference {
    Registers registers;
    int lane = -1;
  };
  /// The part of the memory instruction that was done in global memory, which is not done twice.
  struct Loaded {
    int lane = -1;
    std::uint64_t uninitialized = 0;  ///< a bit a byte
  };

  /// After start_block(): what still is poison there gets another value here.
  void start(const Block& block, std::uint64_t seed);

  /// The first register that differs in a lane of `lanes`.
  std::optional<Difference> compare(const Wave& wave, std::span<const Registers> registers,
                                    std::uint64_t lanes, std::uint32_t bits = ~0u) const;

  Wave& of(const Wave& wave) { return block_.waves[wave.index]; }
  const Wave& of(const Wave& wave) const { return block_.waves[wave.index]; }

  /// Executes in those lanes of EXEC.
  void execute(const Wave& wave, const Instruction& in, std::uint64_t lanes);
  /// Takes over what the wave loaded, with other values for bytes that are not initialised.
  void load(const Wave& wave, const Instruction& in, std::span<const Loaded> lanes);
  void copy_lds(const Block& block, std::uint64_t address, std::uint64_t bytes);

 private:
  std::uint32_t other_value();

  Block block_;
  std::uint64_t seed_ = 0, next_ = 0;
};

}  // namespace kernelgen::amdgpu
