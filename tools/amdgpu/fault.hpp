#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>

namespace kernelgen::amdgpu {

/// What stops a launch: an access to memory that is not there, an instruction that is not known, ...
/// what() is one line: `simulated KERNEL: block (x, y, z): wave W, lane L: at PC `INSTRUCTION`: WHAT WAS WRONG`.
class Fault : public std::runtime_error {
 public:
  enum class Kind { memory, unknown_instruction, unsupported, endless, code_object, arguments };

  Fault(Kind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}

  Kind kind() const { return kind_; }

 private:
  Kind kind_;
};

}  // namespace kernelgen::amdgpu
