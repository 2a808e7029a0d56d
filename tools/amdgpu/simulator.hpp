#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checks/options.hpp"
#include "code_object.hpp"
#include "counters.hpp"
#include "fault.hpp"
#include "isa.hpp"
#include "memory.hpp"
#include "program.hpp"
#include "wave.hpp"

namespace kernelgen::amdgpu {

/// A code object on a simulated GPU.
class Module {
 public:
  const CodeObject& object() const { return object_; }
  /// Throws Fault (arguments): there is no such kernel.
  const Kernel& kernel(const std::string& name) const;
  Program& program(unsigned wave_size) { return wave_size == 32 ? program_32_ : program_64_; }

 private:
  friend class Simulator;
  Module(std::span<const std::byte> bytes, const Isa& isa);

  CodeObject object_;
  Program program_32_, program_64_;
};

/// An AMD GPU that executes code objects in software. Any thread may call it; launches run one after the other.
class Simulator {
 public:
  struct Options {
    unsigned threads = 0;                              ///< that blocks are spread over; 0: the host's
    std::uint64_t most_instructions = 20'000'000'000;  ///< a wave may execute, then it counts as endless
    std::optional<CheckOptions> checks{};              ///< with them launches are checked, in one thread
  };

  /// `target` is a processor, `gfx942`. Throws Fault: LLVM does not know it.
  explicit Simulator(const std::string& target);
  Simulator(const std::string& target, Options options);

  const Isa& isa() const { return isa_; }
  Memory& memory() { return memory_; }

  /// Loads an ELF image; its segments become device memory. Throws Fault (code_object).
  std::shared_ptr<Module> load(std::span<const std::byte> bytes);

  /// Runs a kernel to its end. `grid` counts blocks, `block` work-items; `arguments` are the kernel's own, in its layout,
  /// hidden ones are added. Throws Fault.
  Counters launch(Module& module, const std::string& kernel, Extent grid, Extent block,
                  std::uint32_t dynamic_lds_bytes, std::span<const std::byte> arguments);

 private:
  Isa isa_;
  Options options_;
  Memory memory_;
  std::mutex launching_;
};

}  // namespace kernelgen::amdgpu
