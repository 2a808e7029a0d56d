#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace kernelgen::amdgpu {

/// LLVM's disassembler for a processor, and what LLVM 19 lacks of it.
class Disassembler {
 public:
  /// `major` is of the processor's version. Throws Fault: LLVM has none for the processor.
  Disassembler(const std::string& processor, unsigned major, unsigned wave_size);

  struct Text {
    std::string text;      ///< its words separated by single spaces
    std::size_t size = 0;  ///< of the instruction; 0: the bytes are none
  };
  /// The instruction that `code` begins with, which is at `pc`.
  Text decode(std::span<const std::uint8_t> code, std::uint64_t pc) const;

 private:
  struct Dispose {
    void operator()(void* context) const;
  };
  using Context = std::unique_ptr<void, Dispose>;
  static Text ask(const Context& context, std::span<const std::uint8_t> code, std::uint64_t pc);
  /// Of the same instruction on the lower halves.
  Text ask_without_halves(std::span<const std::uint8_t> code, std::uint64_t pc) const;

  Context plain_;
  Context halves_;  ///< of gfx11 and later, with real-true16
};

}  // namespace kernelgen::amdgpu
