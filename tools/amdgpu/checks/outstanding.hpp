#pragma once
#include <bitset>
#include <cstdint>
#include <vector>

#include "footprint.hpp"

namespace kernelgen::amdgpu {

/// The loads and stores of a wave that its waits do not yet guarantee to be complete: a model of vmcnt, vscnt and lgkmcnt,
/// and of gfx12's loadcnt, storecnt, dscnt and kmcnt.
class Outstanding {
 public:
  struct Operation {
    const Instruction* instruction = nullptr;
    std::uint32_t time = 0;  ///< of issue
    Footprint::Group group = Footprint::Group::none;
    Registers loaded;
    std::vector<std::uint32_t> words;  ///< of LDS that it accesses
  };

  Outstanding() = default;
  explicit Outstanding(unsigned major) : shares_vector_counter_(major < 10) {}

  void issue(Operation operation);
  /// Drops what is complete after a wait.
  void wait(const Footprint::Wait& wait);

  /// The operation that is to write a register which `in` reads or writes, or null. Loads that complete in their order may
  /// write the same register.
  const Operation* conflict(const Footprint& f) const;

  /// When the oldest access of LDS, or of the other memory, was issued that may be incomplete; `now` if all are complete.
  std::uint32_t complete_until(std::uint32_t now, bool of_lds) const;
  std::vector<Operation>& operations() { return operations_; }

 private:
  void mark(const Registers& registers);
  void mark_all();
  bool is_marked(const Registers& registers) const;
  /// Operations of one order complete in it; those of the scalar cache in any.
  bool same_order(Footprint::Group a, Footprint::Group b) const;

  bool shares_vector_counter_ = true;
  std::vector<Operation> operations_;  ///< in the order of issue
  std::bitset<vgpr::count> vectors_;   ///< registers that are to be written
  std::bitset<sgpr::count> scalars_;
};

}  // namespace kernelgen::amdgpu
