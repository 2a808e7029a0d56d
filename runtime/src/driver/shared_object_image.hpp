#pragma once
#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/format.hpp"

namespace kernelgen::shared_object {

using Word = std::uint64_t;

inline constexpr Word page = 4096;
/// Far above what any module takes, far below the end of the address space.
inline constexpr Word most_memory = Word{1} << 40;

struct Defect {
  std::string text;
};

[[noreturn]] inline void refuse(std::string text) { throw Defect{std::move(text)}; }

/// The file as the loader maps it. Addresses are relative to the base that the object is loaded at.
class Image {
 public:
  explicit Image(std::span<const std::byte> code) : code_(code) {
    const auto header = in_file<Elf64_Ehdr>(0);
    if (header.e_type != ET_DYN) refuse("it is not a shared object");
    if (header.e_phentsize != sizeof(Elf64_Phdr))
      refuse(formatted("its program headers have {} bytes each, not {}", header.e_phentsize,
                       sizeof(Elf64_Phdr)));
    for (std::uint16_t i = 0; i < header.e_phnum; ++i)
      segments_.push_back(in_file<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
    if (header.e_shentsize == sizeof(Elf64_Shdr))
      for (std::uint16_t i = 0; i < header.e_shnum; ++i)
        sections_.push_back(in_file<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr)));
    check_segments();
  }

  const std::vector<Elf64_Phdr>& segments() const { return segments_; }
  /// Empty where they were stripped: the loader does not read them.
  /// Whether a section of code or a function of a symbol table begins there. True without sections, which a module need not
  /// have: the loader does not read them.
  bool begins_function(Word address) const {
    return sections_.empty() || std::any_of(sections_.begin(), sections_.end(), [&](const Elf64_Shdr& s) {
             if ((s.sh_flags & SHF_EXECINSTR) != 0 && s.sh_addr == address) return true;
             if (s.sh_type != SHT_SYMTAB && s.sh_type != SHT_DYNSYM) return false;
             for (Word i = 0; i < s.sh_size / sizeof(Elf64_Sym); ++i) {
               const auto symbol = in_file<Elf64_Sym>(s.sh_offset + i * sizeof(Elf64_Sym));
               if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_value == address) return true;
             }
             return false;
           });
  }

  /// Whether memory is mapped with all those permissions; `from_file` where its contents are the file's.
  bool is_mapped(Word address, Word bytes, Elf64_Word flags, bool from_file = false) const {
    return std::any_of(segments_.begin(), segments_.end(), [&](const Elf64_Phdr& s) {
      const Word size = from_file ? s.p_filesz : s.p_memsz;
      return s.p_type == PT_LOAD && (s.p_flags & flags) == flags && address >= s.p_vaddr &&
             address - s.p_vaddr <= size && bytes <= size - (address - s.p_vaddr);
    });
  }

  void need(std::string_view what, Word address, Word bytes, Elf64_Word flags = PF_R) const {
    if (!is_mapped(address, bytes, flags, true))
      refuse(formatted("{} ({} bytes at {:#x}) is outside of the loaded segments", what, bytes, address));
  }

  /// A struct in memory whose contents come from the file.
  template <class T>
  T at(std::string_view what, Word address) const {
    need(what, address, sizeof(T));
    const auto segment = std::find_if(segments_.begin(), segments_.end(), [&](const Elf64_Phdr& s) {
      return s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz;
    });
    return in_file<T>(segment->p_offset + (address - segment->p_vaddr));
  }

 private:
  template <class T>
  T in_file(Word offset) const {
    if (offset > code_.size() || sizeof(T) > code_.size() - offset)
      refuse(formatted("it is cut off at {} bytes", code_.size()));
    T value;
    std::memcpy(&value, code_.data() + offset, sizeof value);
    return value;
  }

  void check_segments() const {
    Word end = 0;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const Elf64_Phdr& s = segments_[i];
      if (s.p_vaddr > most_memory || s.p_memsz > most_memory)
        refuse(formatted("its segment {} wants {} bytes at {:#x}", i, s.p_memsz, s.p_vaddr));
      if (s.p_align > 1 && (!std::has_single_bit(s.p_align) || s.p_align > most_memory))
        refuse(formatted("its segment {} is aligned to {} bytes", i, s.p_align));
      if (s.p_type != PT_LOAD) continue;
      if (s.p_filesz > s.p_memsz || s.p_offset % page != s.p_vaddr % page || s.p_vaddr < end)
        refuse(formatted("its segment {} does not fit its address in memory", i));
      // The rest of its last page is cleared, which the file has to back.
      if (s.p_memsz > 0 && s.p_offset / page * page >= code_.size())
        refuse(formatted("its segment {} begins past its {} bytes", i, code_.size()));
      end = (s.p_vaddr + s.p_memsz + page - 1) / page * page;
    }
    if (end == 0) refuse("it has nothing to load");
    for (const Elf64_Phdr& s : segments_) {
      const bool reads_file = s.p_type == PT_PHDR || s.p_type == PT_DYNAMIC || s.p_type == PT_TLS ||
                              s.p_type == PT_GNU_EH_FRAME || s.p_type == PT_GNU_PROPERTY ||
                              s.p_type == PT_NOTE;
      if (reads_file && s.p_memsz > 0) need("a segment of tables", s.p_vaddr, s.p_filesz);
      if (s.p_type == PT_GNU_RELRO && !is_mapped(s.p_vaddr, s.p_memsz, 0))
        refuse("the memory to be made read-only is outside of the loaded segments");
    }
  }

  std::span<const std::byte> code_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
};

}  // namespace kernelgen::shared_object
