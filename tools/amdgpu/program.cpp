#include "program.hpp"

#include <fmt/format.h>

#include "checks/footprint.hpp"
#include "decode.hpp"
#include "fault.hpp"

namespace kernelgen::amdgpu {

Program::Program(const CodeObject& object, const Isa& isa, unsigned wave_size)
    : object_(object), isa_(isa), disassembler_(object.processor(), isa.major, wave_size) {}

const Program::Function& Program::decode(std::uint64_t begin, std::uint64_t bytes) {
  const auto known = functions_.find(begin);
  if (known != functions_.end()) return known->second;
  Function& function = functions_[begin];
  function.begin = begin;
  function.end = begin + bytes;
  for (std::uint64_t pc = begin; pc < function.end;) {
    const auto [text, size] =
        disassembler_.decode({reinterpret_cast<const std::uint8_t*>(pc), function.end - pc}, pc);
    function.index[pc] = function.instructions.size();
    function.instructions.push_back(size == 0 ? undecodable(pc) : decode_text(text, isa_));
    Instruction& in = function.instructions.back();
    in.pc = pc;
    in.size = static_cast<std::uint8_t>(size == 0 ? 4 : size);
    pc += in.size;
  }
  function.instructions.push_back(end_of_code(function.end));
  for (Instruction& in : function.instructions) {
    in.footprint = std::make_shared<const Footprint>(footprint_of(in, isa_.major));
    if (in.pipe != Pipe::branch) continue;
    const auto words = static_cast<std::int16_t>(in.immediate);
    const auto target = function.index.find(in.pc + 4 + static_cast<std::uint64_t>(std::int64_t{4} * words));
    if (target != function.index.end()) in.target = &function.instructions[target->second];
  }
  return function;
}

const Instruction* Program::at(std::uint64_t pc) {
  const std::lock_guard lock(mutex_);
  for (const auto& [name, symbol] : object_.functions()) {
    if (pc < symbol.address || pc >= symbol.address + symbol.bytes) continue;
    const Function& function = decode(symbol.address, symbol.bytes);
    const auto found = function.index.find(pc);
    return found == function.index.end() ? nullptr : &function.instructions[found->second];
  }
  return nullptr;
}

std::string Program::describe(const Instruction& in) {
  const std::string line = object_.source_line(in.pc);
  return fmt::format("{:#x} `{}`{}", in.pc, in.text, line.empty() ? "" : fmt::format(" ({})", line));
}

std::map<std::string, std::uint64_t> Program::unknown() {
  const std::lock_guard lock(mutex_);
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [name, symbol] : object_.functions())
    for (const Instruction& in : decode(symbol.address, symbol.bytes).instructions)
      if (is_unknown(in)) ++counts[in.text.substr(0, in.text.find(' '))];
  return counts;
}

}  // namespace kernelgen::amdgpu
