#pragma once
#include <llvm/Object/ELF.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "code_object/code_object.hpp"

namespace kernelgen::tool {

using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

/// The value, or BadCodeObject with LLVM's own words. An llvm::Expected that is not looked at would abort.
template <class T>
T value_or_throw(llvm::Expected<T> value, std::string_view where) {
  if (value) return std::move(*value);
  throw BadCodeObject(std::string(where) + ": " + llvm::toString(value.takeError()));
}

struct ElfSymbol {
  std::string_view name;
  std::uint8_t type = 0;  ///< STT_*
  bool is_global = false;
  bool is_defined = false;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

struct ElfSection {
  std::string_view name;
  std::string_view bytes;  ///< Empty for SHT_NOBITS.
  std::uint64_t size = 0;
};

struct ElfNote {
  std::string_view owner;
  std::uint32_t type = 0;
  std::string_view description;
};

/// A checked view of a 64-bit little-endian ELF file; borrows the bytes. All functions throw BadCodeObject.
class ElfImage {
 public:
  explicit ElfImage(std::string_view bytes);

  std::uint16_t machine() const { return elf_.getHeader().e_machine; }
  std::uint32_t flags() const { return elf_.getHeader().e_flags; }
  std::uint8_t os_abi() const { return elf_.getHeader().e_ident[llvm::ELF::EI_OSABI]; }
  std::uint8_t abi_version() const { return elf_.getHeader().e_ident[llvm::ELF::EI_ABIVERSION]; }

  std::vector<ElfSection> sections() const;
  /// Of SHT_DYNSYM or SHT_SYMTAB, with the empty symbol 0.
  std::vector<ElfSymbol> symbols(std::uint32_t table_type) const;
  /// Notes of the program headers: what a loader sees, whether or not the file is stripped.
  std::vector<ElfNote> notes() const;
  /// The bytes from a virtual address to the end of the segment's file image.
  std::string_view mapped(std::uint64_t address) const;

 private:
  std::string_view bytes_;
  Elf elf_;
};

}  // namespace kernelgen::tool
