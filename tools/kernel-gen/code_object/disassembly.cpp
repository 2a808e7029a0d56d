#include "code_object/disassembly.hpp"

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/TargetParser/TargetParser.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string_view>

#include "code_object/code_object.hpp"
#include "code_object/elf_image.hpp"

namespace kernelgen::tool {
namespace {

namespace elf = llvm::ELF;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// LLVM ends the process where it is asked to read what came before the third generation of GCN, or a name that it does
/// not know.
void check_processor(const std::string& processor) {
  if (llvm::AMDGPU::getIsaVersion(processor).Major < 8)
    throw BadCodeObject(fmt::format("LLVM {} disassembles no code for '{}'", LLVM_VERSION_STRING, processor));
}

/// LLVM's disassembler of one processor and width of waves.
class Disassembler {
 public:
  /// `object` was checked; `wave_size` is the kernel's: names of registers that hold a bit a lane follow it.
  Disassembler(const CodeObject& object, std::uint32_t wave_size) : is_amd_(object.kind == CodeKind::hsaco) {
    // Only GPUs whose waves may be of either width know the feature.
    const bool either = is_amd_ && llvm::AMDGPU::getIsaVersion(object.processor).Major >= 10;
    const std::string features = either ? fmt::format("+wavefrontsize{}", wave_size) : "";
    const std::string host = object.processor == "x86-64" ? "x86_64" : object.processor;
    const std::string triple = is_amd_ ? "amdgcn-amd-amdhsa" : host + "-linux-gnu";
    // What AMD's takes for a list of symbols must be null; others tell note_branch() where branches go.
    context_.reset(LLVMCreateDisasmCPUFeatures(triple.c_str(), is_amd_ ? object.processor.c_str() : "",
                                               features.c_str(), is_amd_ ? nullptr : &branch_, 0, nullptr,
                                               note_branch));
    if (context_ == nullptr)
      throw BadCodeObject(fmt::format("LLVM {} has no disassembler for {}", LLVM_VERSION_STRING, triple));
  }
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  Instruction next(std::string_view bytes, std::uint64_t address) {
    branch_.reset();
    std::array<char, 512> text{};
    // LLVM takes bytes that it may write to, and does not.
    auto* data = reinterpret_cast<std::uint8_t*>(const_cast<char*>(bytes.data()));
    const std::size_t size =
        LLVMDisasmInstruction(context_.get(), data, bytes.size(), address, text.data(), text.size());
    if (size == 0) {
      const std::size_t step = std::min<std::size_t>(is_amd_ ? 4 : 1, bytes.size());
      return {address, static_cast<std::uint32_t>(step), "(unknown)", {}, std::nullopt};
    }
    const std::string_view line = trimmed(text.data());
    const std::size_t split = line.find_first_of(" \t");
    Instruction instruction{
        address, static_cast<std::uint32_t>(size), std::string(line.substr(0, split)), {}, branch_};
    if (split != std::string_view::npos) instruction.operands = trimmed(line.substr(split));
    if (is_amd_) instruction.goes_to = amd_branch(instruction);
    return instruction;
  }

 private:
  struct Dispose {
    void operator()(void* context) const { LLVMDisasmDispose(context); }
  };

  static const char* note_branch(void* branch, std::uint64_t address, std::uint64_t* kind, std::uint64_t,
                                 const char** name) {
    if (branch != nullptr && *kind == LLVMDisassembler_ReferenceType_In_Branch)
      *static_cast<std::optional<std::uint64_t>*>(branch) = address;
    *kind = LLVMDisassembler_ReferenceType_InOut_None;
    *name = nullptr;
    return nullptr;
  }

  /// A branch's operand counts words of 4 bytes from the next instruction on, in 16 bits.
  static std::optional<std::uint64_t> amd_branch(const Instruction& instruction) {
    if (!instruction.mnemonic.starts_with("s_branch") && !instruction.mnemonic.starts_with("s_cbranch"))
      return std::nullopt;
    const std::string_view words = instruction.operands;
    std::uint16_t count = 0;
    const auto [end, error] = std::from_chars(words.data(), words.data() + words.size(), count);
    if (error != std::errc() || end != words.data() + words.size()) return std::nullopt;
    const std::int64_t bytes = std::int64_t{4} * static_cast<std::int16_t>(count);
    return instruction.address + instruction.size + static_cast<std::uint64_t>(bytes);
  }

  bool is_amd_;
  std::optional<std::uint64_t> branch_;
  std::unique_ptr<void, Dispose> context_;
};

/// Those of the kernels that have one, and for the other functions the first kernel's.
std::map<std::string_view, std::uint32_t> wave_sizes(const CodeObject& object) {
  std::map<std::string_view, std::uint32_t> sizes;
  for (const CodeKernel& kernel : object.kernels) sizes[kernel.name] = kernel.wave_size;
  return sizes;
}

}  // namespace

Functions disassemble(std::span<const std::byte> code_object) {
  Functions functions;
  disassemble(code_object,
              read_code_object({reinterpret_cast<const char*>(code_object.data()), code_object.size()}),
              [&](std::string_view name, std::vector<Instruction> instructions) {
                functions[std::string(name)] = std::move(instructions);
              });
  return functions;
}

void disassemble(std::span<const std::byte> code_object, const CodeObject& object,
                 const std::function<void(std::string_view, std::vector<Instruction>)>& visit) {
  if (object.kind != CodeKind::hsaco && object.kind != CodeKind::host)
    throw BadCodeObject(fmt::format("LLVM disassembles no {}", name_of(object.kind)));
  if (object.kind == CodeKind::hsaco) check_processor(object.processor);
  [[maybe_unused]] static const bool registered = [] {
    LLVMInitializeAllTargetInfos();
    LLVMInitializeAllTargetMCs();
    LLVMInitializeAllDisassemblers();
    return true;
  }();
  const ElfImage image({reinterpret_cast<const char*>(code_object.data()), code_object.size()});
  const auto sizes = wave_sizes(object);
  std::map<std::uint32_t, Disassembler> disassemblers;
  for (const ElfSymbol& symbol : image.symbols(elf::SHT_DYNSYM)) {
    if (symbol.type != elf::STT_FUNC || !symbol.is_defined || symbol.size == 0) continue;
    const auto own = sizes.find(symbol.name);
    const std::uint32_t wave_size = own != sizes.end() ? own->second
                                    : sizes.empty()    ? 0
                                                       : sizes.begin()->second;
    Disassembler& disassembler = disassemblers.try_emplace(wave_size, object, wave_size).first->second;
    const std::string_view code = image.mapped(symbol.address).substr(0, symbol.size);
    std::vector<Instruction> instructions;
    for (std::size_t at = 0; at < code.size(); at += instructions.back().size)
      instructions.push_back(disassembler.next(code.substr(at), symbol.address + at));
    visit(symbol.name, std::move(instructions));
  }
}

}  // namespace kernelgen::tool
