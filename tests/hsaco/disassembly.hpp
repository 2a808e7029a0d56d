#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

/// Machine code as text: code objects of a package through llvm-objdump.
namespace kernelgen::disassembly {

struct Instruction {
  std::uint64_t address;  ///< 0 where the tool gives none (amdgcn)
  std::string mnemonic;
  std::string operands;
};

/// Functions by name.
using Functions = std::map<std::string, std::vector<Instruction>>;

/// Throws std::runtime_error with the tool's own words.
Functions disassemble(std::span<const std::byte> code_object);

/// Reads what `llvm-objdump -d --no-show-raw-insn` prints.
Functions parse(const std::string& text);

}  // namespace kernelgen::disassembly
