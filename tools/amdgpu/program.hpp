#pragma once
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "code_object.hpp"
#include "disassembler.hpp"
#include "instruction.hpp"
#include "isa.hpp"

namespace kernelgen::amdgpu {

/// The instructions of a code object, decoded a function at a time when they are first wanted. Any thread may ask.
class Program {
 public:
  /// `object` must outlive it.
  Program(const CodeObject& object, const Isa& isa, unsigned wave_size);

  /// The instruction at that address, or null: no function has one there.
  const Instruction* at(std::uint64_t pc);

  /// Its address, text and, where the code object was compiled with -g, source line.
  std::string describe(const Instruction& in);
  const CodeObject& object() const { return object_; }

  /// Mnemonics in all functions that are not known, with how often they are there.
  std::map<std::string, std::uint64_t> unknown();

 private:
  struct Function {
    std::uint64_t begin = 0, end = 0;
    std::vector<Instruction> instructions;
    std::map<std::uint64_t, std::size_t> index;  ///< by address
  };

  const Function& decode(std::uint64_t begin, std::uint64_t bytes);

  const CodeObject& object_;
  Isa isa_;
  std::mutex mutex_;
  Disassembler disassembler_;
  std::map<std::uint64_t, Function> functions_;  ///< decoded, by begin
};

}  // namespace kernelgen::amdgpu
