#pragma once
#include <random>
#include <span>
#include <vector>

#include "amdgpu/checks/history.hpp"
#include "amdgpu/checks/options.hpp"
#include "amdgpu/checks/outstanding.hpp"
#include "amdgpu/checks/twin.hpp"

namespace kernelgen::amdgpu {

/// The checks of a launch, whose blocks run one after the other in one thread. Each finding is a Fault.
class Checks {
 public:
  Checks(const Launch& launch, const CheckOptions& options);

  /// After start_block().
  void start(Block& block);
  void before(Wave& wave, const Instruction& in);
  void after(Wave& wave, const Instruction& in);
  /// All waves ended.
  void end(Block& block);
  /// All waves that did not end are at a barrier, which lets them go.
  void release_barrier(Block& block);

  /// An access of the instruction that is executed.
  void touch_global(Wave& wave, const Allocation& allocation, std::uint64_t address, std::uint64_t bytes,
                    int lane);
  void touch_lds(Wave& wave, std::uint64_t address, std::uint64_t bytes, int lane);

  /// The order in which waves take their turns, and how many instructions a turn has.
  const std::vector<unsigned>& shuffled_waves(std::size_t count);
  std::uint64_t turn();

 private:
  struct Touch {
    bool is_lds = false;
    int lane = -1;
    std::uint64_t address = 0, bytes = 0;
    std::array<std::byte, 16> before{};
    std::uint64_t uninitialized = 0;  ///< a bit a byte
    std::uint8_t* flags = nullptr;    ///< whether the bytes are initialised
  };
  struct Origin {
    const Instruction* instruction = nullptr;
    bool is_lds = false;
    std::uint64_t address = 0;
  };
  struct WaveState {
    History::Actor actor;
    Outstanding outstanding;
    std::uint64_t lanes = 0;  ///< that the wave began with
    std::array<Origin, Wave::most_lanes + 1>
        origins{};  ///< the last uninitialised bytes that any lane and each loaded

    void set_origin(int lane, const Origin& origin) {
      origins[0] = origin;
      if (lane >= 0) origins[static_cast<std::size_t>(lane) + 1] = origin;
    }
  };

  WaveState& state_of(const Wave& wave) { return states_[wave.index]; }
  void check_alignment(const Wave& wave, std::uint64_t address, std::uint64_t bytes, int lane) const;
  void check_stored(Wave& wave, const Instruction& in);
  void check_races(Wave& wave, const Instruction& in);
  void confirm_loads(Wave& wave, const Instruction& in);
  void follow(Wave& wave, const Instruction& in);
  void signal_barrier(Wave& wave);
  void issue(const Wave& wave, const Instruction& in);
  [[noreturn]] void report_uninitialized(const Wave& wave, const std::string& what, int lane);
  [[noreturn]] void report_race(const Wave& wave, const Touch& touch, const History::Race& race,
                                bool stores) const;
  std::string location_of(const Wave& wave, const Touch& touch) const;

  const Launch& launch_;
  CheckOptions options_;
  History history_;
  Twin twin_;
  std::mt19937_64 random_;
  std::uint32_t time_ = 0;
  std::vector<WaveState> states_;
  std::vector<Touch> touches_;
  std::array<Wave::Lanes, 2> expected_;  ///< by the compare-and-swap that is executed
  std::vector<unsigned> order_;
};

}  // namespace kernelgen::amdgpu
