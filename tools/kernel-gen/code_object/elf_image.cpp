#include "code_object/elf_image.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelgen::tool {
namespace {

namespace elf = llvm::ELF;

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }
std::string_view view(llvm::StringRef text) { return {text.data(), text.size()}; }

Elf open(std::string_view bytes) {
  if (bytes.size() < elf::EI_NIDENT || !bytes.starts_with("\x7f"
                                                          "ELF"))
    throw BadCodeObject("not an ELF file");
  if (bytes[elf::EI_CLASS] != elf::ELFCLASS64 || bytes[elf::EI_DATA] != elf::ELFDATA2LSB)
    throw BadCodeObject("ELF header: not a 64-bit little-endian file");
  return value_or_throw(Elf::create(ref(bytes)), "ELF header");
}

/// LLVM adds offset and size before it compares, which may wrap; so the range is checked here first.
std::string_view slice(std::string_view bytes, std::uint64_t offset, std::uint64_t size,
                       std::string_view what) {
  if (offset > bytes.size() || size > bytes.size() - offset)
    throw BadCodeObject(fmt::format("{}: {} bytes at offset {} reach past the end of the file ({} bytes)",
                                    what, size, offset, bytes.size()));
  return bytes.substr(offset, size);
}

}  // namespace

ElfImage::ElfImage(std::string_view bytes) : bytes_(bytes), elf_(open(bytes)) {}

std::vector<ElfSection> ElfImage::sections() const {
  std::vector<ElfSection> sections;
  const auto headers = value_or_throw(elf_.sections(), "section headers");
  for (const auto& header : headers) {
    ElfSection section;
    section.name = view(value_or_throw(elf_.getSectionName(header), "section name"));
    section.size = header.sh_size;
    if (header.sh_type != elf::SHT_NOBITS)
      section.bytes =
          slice(bytes_, header.sh_offset, header.sh_size, fmt::format("section {}", section.name));
    sections.push_back(section);
  }
  return sections;
}

std::vector<ElfSymbol> ElfImage::symbols(std::uint32_t table_type) const {
  std::vector<ElfSymbol> symbols;
  const auto headers = value_or_throw(elf_.sections(), "section headers");
  for (const auto& header : headers) {
    if (header.sh_type != table_type) continue;
    slice(bytes_, header.sh_offset, header.sh_size, "symbol table");
    const llvm::StringRef names = value_or_throw(elf_.getStringTableForSymtab(header), "symbol names");
    const auto table = value_or_throw(elf_.symbols(&header), "symbol table");
    for (const auto& symbol : table) {
      ElfSymbol out;
      out.name = view(value_or_throw(symbol.getName(names), "symbol name"));
      out.type = symbol.getType();
      out.is_global = symbol.getBinding() == elf::STB_GLOBAL || symbol.getBinding() == elf::STB_WEAK;
      out.is_defined = symbol.st_shndx != elf::SHN_UNDEF;
      out.address = symbol.st_value;
      out.size = symbol.st_size;
      symbols.push_back(out);
    }
  }
  return symbols;
}

std::vector<ElfNote> ElfImage::notes() const {
  std::vector<ElfNote> notes;
  const auto headers = value_or_throw(elf_.program_headers(), "program headers");
  for (const auto& header : headers) {
    if (header.p_type != elf::PT_NOTE) continue;
    slice(bytes_, header.p_offset, header.p_filesz, "note segment");
    // The iterator rounds every note up to the alignment; a wild one is refused by LLVM itself.
    const std::size_t alignment = std::max<std::size_t>(header.p_align, 4);
    llvm::Error error = llvm::Error::success();
    for (const auto& note : elf_.notes(header, error))
      notes.push_back({view(note.getName()), note.getType(), view(note.getDescAsStringRef(alignment))});
    if (error) throw BadCodeObject("note segment: " + llvm::toString(std::move(error)));
  }
  return notes;
}

std::string_view ElfImage::mapped(std::uint64_t address) const {
  const auto headers = value_or_throw(elf_.program_headers(), "program headers");
  for (const auto& header : headers) {
    if (header.p_type != elf::PT_LOAD || address < header.p_vaddr) continue;
    const std::uint64_t delta = address - header.p_vaddr;
    if (delta >= header.p_filesz) continue;
    return slice(bytes_, header.p_offset, header.p_filesz, "load segment").substr(delta);
  }
  throw BadCodeObject(fmt::format("address {:#x} is in no segment of the file", address));
}

}  // namespace kernelgen::tool
