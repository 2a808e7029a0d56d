#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "code_object/code_object.hpp"

namespace kernelgen::tool {

struct Instruction {
  std::uint64_t address = 0;
  std::uint32_t size = 0;                ///< in bytes
  std::string mnemonic;                  ///< "(unknown)" for what LLVM does not know
  std::string operands;                  ///< as an assembler takes them
  std::optional<std::uint64_t> goes_to;  ///< where a branch leads that says so itself
};

/// Functions by name, each with its instructions in order.
using Functions = std::map<std::string, std::vector<Instruction>, std::less<>>;

/// The functions that an AMD or a host's code object exports, as LLVM spells them; that no other program is asked keeps
/// one version for what is written and what is read. Throws BadCodeObject, also for PTX and cubins, which LLVM does not
/// read, and for a GPU that this LLVM does not know.
Functions disassemble(std::span<const std::byte> code_object);

/// The same one by one: a code object may have millions of instructions. `object` is what read_code_object() says of it.
void disassemble(
    std::span<const std::byte> code_object, const CodeObject& object,
    const std::function<void(std::string_view name, std::vector<Instruction> instructions)>& visit);

}  // namespace kernelgen::tool
