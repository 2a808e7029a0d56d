#include "disassembler.hpp"

#include <fmt/format.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "fault.hpp"

// Halves of registers on gfx11 and gfx12 (RDNA3 and RDNA4 ISA documents, 16-bit operands): in encodings of 32 bits a VGPR of 16
// bits is one of v0 to v127, and the highest bit of its field chooses the upper half; in VOP3 op_sel does. Newer LLVMs write
// `v2.h`. LLVM 19 gives such first sources as registers of a number that is 128 too large, refuses such destinations and second
// sources, and leaves op_sel out for many opcodes; v_mov_b16 in VOP3 it knows with its feature real-true16 only.
namespace kernelgen::amdgpu {
namespace {

constexpr std::string_view digits = "0123456789";

/// `v130/*Invalid register, operand has 'VS_32_Lo128' register class*/` becomes `v2.h`.
void name_high_sources(std::string& text) {
  for (std::size_t at; (at = text.find("/*Invalid register")) != std::string::npos;) {
    const std::size_t end = text.find("*/", at), number = text.find_last_not_of(digits, at - 1) + 1;
    const bool is_half = text.find("Lo128", at) < end;
    text.erase(at, end == std::string::npos ? end : end + 2 - at);
    unsigned index = 0;
    std::from_chars(text.data() + number, text.data() + at, index);
    if (is_half && index >= 128) text.replace(number, at - number, fmt::format("{}.h", index - 128));
  }
}

/// `v7` becomes `v7.h`: the first VGPR of the text, or the last.
void mark_high(std::string& text, bool first) {
  std::size_t found = std::string::npos;
  for (std::size_t at = 0; at + 1 < text.size() && !(first && found != std::string::npos); ++at)
    if (text[at] == 'v' && digits.find(text[at + 1]) != digits.npos) found = at;
  if (found == std::string::npos) return;
  text.insert(std::min(text.find_first_not_of(digits, found + 1), text.size()), ".h");
}

/// Of VOP3 with operands of 16 bits: a bit for each source and, the last, for the destination.
void add_op_sel(std::string& text, std::uint32_t encoding) {
  const std::uint32_t bits = encoding >> 11 & 15;
  if (encoding >> 26 != 0x35 || bits == 0 || text.find("op_sel") != std::string::npos) return;
  const std::string_view mnemonic = std::string_view(text).substr(0, text.find(' '));
  for (const std::string_view type : {"f16", "i16", "u16", "_b16", "v_align"})
    if (mnemonic.find(type) != std::string_view::npos) {
      text += fmt::format(" op_sel:[{},{},{},{}]", bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3);
      return;
    }
}

std::uint32_t first_word(std::span<const std::uint8_t> code) {
  std::uint32_t word = 0;
  std::memcpy(&word, code.data(), std::min(code.size(), sizeof(word)));
  return word;
}

}  // namespace

void Disassembler::Dispose::operator()(void* context) const { LLVMDisasmDispose(context); }

Disassembler::Disassembler(const std::string& processor, unsigned major, unsigned wave_size) {
  [[maybe_unused]] static const bool registered = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    return true;
  }();
  const auto make = [&](const std::string& features) {
    Context context(LLVMCreateDisasmCPUFeatures("amdgcn-amd-amdhsa", processor.c_str(), features.c_str(),
                                                nullptr, 0, nullptr, nullptr));
    if (context == nullptr)
      throw Fault(Fault::Kind::unsupported, fmt::format("LLVM has no disassembler for {}", processor));
    return context;
  };
  const std::string width = major >= 10 ? fmt::format("+wavefrontsize{}", wave_size) : "";
  plain_ = make(width);
  if (major >= 11) halves_ = make(width + ",+real-true16");
}

Disassembler::Text Disassembler::ask(const Context& context, std::span<const std::uint8_t> code,
                                     std::uint64_t pc) {
  std::array<char, 512> text{};
  // It does not write the bytes that it takes as variable ones.
  const std::size_t size = LLVMDisasmInstruction(context.get(), const_cast<std::uint8_t*>(code.data()),
                                                 code.size(), pc, text.data(), text.size());
  std::string trimmed = text.data();
  trimmed.erase(0, std::min(trimmed.find_first_not_of(" \t"), trimmed.size()));
  std::ranges::replace(trimmed, '\t', ' ');
  return {std::move(trimmed), size};
}

Disassembler::Text Disassembler::ask_without_halves(std::span<const std::uint8_t> code,
                                                    std::uint64_t pc) const {
  constexpr std::uint32_t destination = 1u << 24, second_source = 1u << 16;
  const std::uint32_t word = first_word(code);
  const bool is_vop1 = word >> 25 == 0x3f, is_vopc = word >> 25 == 0x3e;
  if (word >> 31 != 0 || is_vopc) return {};  // of VOPC LLVM gives both sources
  for (const std::uint32_t bits : {destination, second_source, destination | second_source}) {
    if ((word & bits) != bits || (is_vop1 && (bits & second_source) != 0)) continue;
    std::array<std::uint8_t, 8> low{};  // with a literal or DPP
    const std::size_t bytes = std::min(code.size(), low.size());
    std::copy_n(code.begin(), bytes, low.begin());
    const std::uint32_t changed = word & ~bits;
    std::memcpy(low.data(), &changed, sizeof(changed));
    Text found = ask(plain_, {low.data(), bytes}, pc);
    if (found.size == 0) continue;
    name_high_sources(found.text);
    if ((bits & second_source) != 0) mark_high(found.text, false);
    if ((bits & destination) != 0) mark_high(found.text, true);
    return found;
  }
  return {};
}

Disassembler::Text Disassembler::decode(std::span<const std::uint8_t> code, std::uint64_t pc) const {
  Text found = ask(plain_, code, pc);
  if (!halves_ || code.size() < 4) return found;
  if (found.size == 0) found = ask(halves_, code, pc);
  if (found.size == 0) found = ask_without_halves(code, pc);
  name_high_sources(found.text);
  add_op_sel(found.text, first_word(code));
  return found;
}

}  // namespace kernelgen::amdgpu
