#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kernelgen::amdgpu {

/// Where a kernel was when it faulted.
struct FaultSite {
  std::string processor, kernel;
  std::array<std::uint32_t, 3> block{};
  std::uint32_t wave = 0;
  int lane = -1;              ///< -1: of no lane
  std::uint64_t address = 0;  ///< of the instruction
  std::string instruction;
  std::string source;  ///< `FILE:LINE`; empty without debug information
  std::string what;
};

/// What stops a launch: an access to memory that is not there, an instruction that is not known, ...
/// what() is one line: `simulated GPU: kernel 'K': block (x, y, z), wave W, lane L: at PC `INSTRUCTION` (FILE:LINE): WHAT`.
class Fault : public std::runtime_error {
 public:
  enum class Kind {
    memory,
    unknown_instruction,
    unsupported,
    endless,
    code_object,
    arguments,
    misaligned,
    // Found by a checked launch only.
    uninitialized,
    race,
    divergent_barrier,
    partial_exec,
    missing_wait
  };

  Fault(Kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  Fault(Kind kind, const FaultSite& site);

  Kind kind() const { return kind_; }
  /// Nothing where no kernel runs yet.
  const std::optional<FaultSite>& site() const { return site_; }

 private:
  Kind kind_;
  std::optional<FaultSite> site_;
};

/// `memory`, `race`, ...: for reports that programs read.
constexpr std::string_view name_of(Fault::Kind kind) {
  switch (kind) {
    case Fault::Kind::memory:
      return "memory";
    case Fault::Kind::unknown_instruction:
      return "unknown-instruction";
    case Fault::Kind::unsupported:
      return "unsupported";
    case Fault::Kind::endless:
      return "endless";
    case Fault::Kind::code_object:
      return "code-object";
    case Fault::Kind::arguments:
      return "arguments";
    case Fault::Kind::misaligned:
      return "misaligned";
    case Fault::Kind::uninitialized:
      return "uninitialized";
    case Fault::Kind::race:
      return "race";
    case Fault::Kind::divergent_barrier:
      return "divergent-barrier";
    case Fault::Kind::partial_exec:
      return "partial-exec";
    case Fault::Kind::missing_wait:
      return "missing-wait";
  }
  return "unknown";
}

/// The fault on one line of JSON, for programs.
std::string to_json(const Fault& fault);

}  // namespace kernelgen::amdgpu
