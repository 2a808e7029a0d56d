#include "code_object/host_object.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>

namespace kernelgen::tool {
namespace {

namespace elf = llvm::ELF;

constexpr std::string_view table_suffix = "_args";

std::uint32_t word(std::string_view bytes, std::size_t index) {
  std::uint32_t value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

CodeKernel read_kernel(const ElfImage& image, const ElfSymbol& function, std::uint64_t address) {
  const std::string_view name = function.name;
  CodeKernel kernel;
  kernel.name = name;
  kernel.code_bytes = function.size;
  const std::string_view table = image.mapped(address);
  const std::size_t words = table.size() / sizeof(std::uint32_t);
  if (words < 2 || word(table, 0) > (words - 2) / 2)
    throw BadCodeObject(
        fmt::format("kernel {}: its argument table reaches past the end of its segment", name));
  kernel.kernarg_bytes = word(table, 1);
  for (std::size_t i = 0; i < word(table, 0); ++i) {
    CodeArgument argument;
    argument.offset = word(table, 2 + 2 * i);
    argument.size = word(table, 3 + 2 * i);
    kernel.arguments.push_back(argument);
  }
  kernel.wave_size = 1;
  return kernel;
}

}  // namespace

CodeObject read_host_object(const ElfImage& image) {
  CodeObject object;
  object.kind = CodeKind::host;
  object.flags = image.flags();
  switch (image.machine()) {
    case elf::EM_X86_64:
      object.processor = "x86-64";
      break;
    case elf::EM_AARCH64:
      object.processor = "aarch64";
      break;
    default:
      throw BadCodeObject(
          fmt::format("ELF header: machine {} is none that kernels are built for", image.machine()));
  }
  object.target_id = object.processor;
  for (const ElfSection& section : image.sections())
    for (const std::string_view bundle : {".hip_fatbin", ".nv_fatbin"})
      if (section.name == bundle) object.bundle = bundle;
  std::map<std::string_view, const ElfSymbol*> exported;
  const std::vector<ElfSymbol> symbols = image.symbols(elf::SHT_DYNSYM);
  for (const ElfSymbol& symbol : symbols)
    if (symbol.is_defined && symbol.is_global) exported.emplace(symbol.name, &symbol);
  for (const auto& [name, symbol] : exported) {
    if (symbol->type != elf::STT_FUNC) continue;
    const auto table = exported.find(std::string(name) + std::string(table_suffix));
    // A function without a table (_init, _fini) is no kernel.
    if (table == exported.end() || table->second->type != elf::STT_OBJECT) continue;
    object.kernels.push_back(read_kernel(image, *symbol, table->second->address));
  }
  return object;
}

}  // namespace kernelgen::tool
