#include "binary/same_kernel.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "code_object/elf_image.hpp"

namespace kernelgen::tool {
namespace {

namespace elf = llvm::ELF;

/// The kernel's instructions; none where it has no function of its name.
std::string_view code_of(const KernelCode& of) {
  const ElfImage image(of.object);
  for (const ElfSymbol& symbol : image.symbols(elf::SHT_DYNSYM))
    if (symbol.type == elf::STT_FUNC && symbol.is_defined && symbol.name == of.kernel.name)
      return image.mapped(symbol.address).substr(0, symbol.size);
  return {};
}

std::uint32_t word_at(std::string_view code, std::size_t index) {
  std::uint32_t word;
  std::memcpy(&word, code.data() + index * sizeof word, sizeof word);
  return word;
}

/// s_getpc_b64 of any register: SOP1 with an opcode that generations of GPUs number differently.
bool reads_program_counter(std::uint32_t word) {
  constexpr std::uint32_t register_field = 0x7f0000;
  const std::uint32_t plain = word & ~register_field;
  return plain == 0xbe801c00 || plain == 0xbe801f00 || plain == 0xbe804700;
}

bool is_same_code(std::string_view a, std::string_view b) {
  // s_getpc_b64, s_add_u32 and s_addc_u32 with literals, and what gfx12 has between them.
  constexpr std::size_t address_words = 6;
  if (a.size() != b.size()) return false;
  std::size_t address_end = 0;
  for (std::size_t i = 0; i < a.size() / sizeof(std::uint32_t); ++i) {
    const std::uint32_t word = word_at(a, i);
    if (word != word_at(b, i) && i >= address_end) return false;
    if (reads_program_counter(word)) address_end = i + address_words;
  }
  return true;
}

}  // namespace

bool is_same_kernel(const KernelCode& a, const KernelCode& b) {
  const auto is_same_argument = [](const CodeArgument& x, const CodeArgument& y) {
    return x.value_kind == y.value_kind && x.offset == y.offset && x.size == y.size;
  };
  return std::ranges::equal(a.kernel.arguments, b.kernel.arguments, is_same_argument) &&
         a.kernel.lds_bytes == b.kernel.lds_bytes && is_same_code(code_of(a), code_of(b));
}

}  // namespace kernelgen::tool
