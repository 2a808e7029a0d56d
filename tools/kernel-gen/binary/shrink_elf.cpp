#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "binary/fat_section.hpp"
#include "binary/shrink.hpp"
#include "code_object/elf_image.hpp"

namespace kernelgen::tool {
namespace {

using namespace llvm::ELF;

constexpr std::uint64_t bundle_alignment = 4096;
constexpr std::uint32_t wrapper_magic = 0x48495046;  // __hipFatBinSegment, "HIPF"
constexpr std::size_t wrapper_bytes = 24, wrapper_pointer = 8;

std::uint64_t round_up(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The records of a table of the file. Throws BadCodeObject where it is not inside.
template <class T>
std::vector<T> read_table(std::string_view bytes, std::uint64_t offset, std::uint64_t count,
                          const char* what) {
  if (offset > bytes.size() || count > (bytes.size() - offset) / sizeof(T))
    throw BadCodeObject(
        fmt::format("{}: {} records at offset {} reach past the end of the file", what, count, offset));
  std::vector<T> records(count);
  if (count != 0) std::memcpy(records.data(), bytes.data() + offset, count * sizeof(T));
  return records;
}

template <class T>
void write_table(char* to, const std::vector<T>& records) {
  if (!records.empty()) std::memcpy(to, records.data(), records.size() * sizeof(T));
}

/// Rewrites one file. Members whose names begin with "new" are of the result.
class ElfShrinker {
 public:
  ElfShrinker(std::string_view file, const ShrinkOptions& options) : file_(file), options_(options) {}

  std::string run() {
    read_headers();
    pack_bundles();
    move_pointers();
    return write();
  }

 private:
  using Segments = std::vector<Elf64_Phdr>;

  void read_headers() {
    const ElfImage image(file_);  // checks what is common to all
    std::memcpy(&header_, file_.data(), sizeof header_);
    segments_ = read_table<Elf64_Phdr>(file_, header_.e_phoff, header_.e_phnum, "program headers");
    sections_ = read_table<Elf64_Shdr>(file_, header_.e_shoff, header_.e_shnum, "section headers");
    const std::vector<ElfSection> named = image.sections();
    constexpr std::size_t most_segments = 1000;  // linkers write about ten
    if (named.size() != sections_.size() || segments_.size() > most_segments)
      throw CannotShrink("it has more sections or segments than programs have");
    std::uint64_t end = header_.e_shoff + header_.e_shnum * sizeof(Elf64_Shdr);
    for (std::size_t i = 0; i < named.size(); ++i) {
      if (sections_[i].sh_type != SHT_NOBITS)
        end = std::max(end, sections_[i].sh_offset + sections_[i].sh_size);
      if (named[i].name == ".hipFatBinSegment") wrappers_ = i;
      if (named[i].name != ".hip_fatbin") continue;
      if (fat_) throw CannotShrink("it has two sections .hip_fatbin");
      fat_ = i;
    }
    if (!fat_) throw CannotShrink("it has no section .hip_fatbin");
    if (fat().sh_type != SHT_PROGBITS)  // a table would be read as such, and changed
      throw CannotShrink(
          fmt::format("its .hip_fatbin is a section of type {:#x}, not of bytes (1)", fat().sh_type));
    if (wrappers_ && sections_[*wrappers_].sh_type == SHT_NOBITS)
      throw CannotShrink("its wrappers are not in the file");
    if (end < file_.size())
      throw CannotShrink(fmt::format("{} bytes after its last section, such as a signature, would move",
                                     file_.size() - end));
    need_apart(header_.e_phoff, segments_.size() * sizeof(Elf64_Phdr), "the table of segments");
    need_apart(header_.e_shoff, sections_.size() * sizeof(Elf64_Shdr), "the table of sections");
    for (std::size_t i = 0; i < named.size(); ++i)
      if (i != *fat_ && sections_[i].sh_type != SHT_NOBITS)
        need_apart(sections_[i].sh_offset, sections_[i].sh_size, fmt::format("section {}", i));
  }

  /// What shares bytes with .hip_fatbin can neither stay nor move.
  void need_apart(std::uint64_t offset, std::uint64_t bytes, std::string_view what) const {
    if (offset < fat_end() && offset + bytes > fat().sh_offset)
      throw CannotShrink(fmt::format("{} overlaps .hip_fatbin", what));
  }

  const Elf64_Shdr& fat() const { return sections_[*fat_]; }
  std::uint64_t fat_end() const { return fat().sh_offset + fat().sh_size; }

  void pack_bundles() {
    const std::string_view bytes = file_.substr(fat().sh_offset, fat().sh_size);
    const FatSection section = read_fat_section(bytes);
    if (!section.damages.empty())
      throw CannotShrink(
          fmt::format(".hip_fatbin: offset {:#x}: {}", section.damages[0].offset, section.damages[0].what));
    for (const SectionBundle& bundle : section.bundles) {
      new_content_.resize(round_up(new_content_.size(), bundle_alignment));
      moved_[bundle.offset] = new_content_.size();
      new_content_ += shrink_bundle(bytes.substr(bundle.offset, bundle.bytes), options_);
    }
  }

  /// The new address of what points into the section; other addresses stay. Throws CannotShrink for a pointer to anything but a bundle.
  std::uint64_t new_address(std::uint64_t address, bool& is_moved) const {
    is_moved = address >= fat().sh_addr && address - fat().sh_addr < fat().sh_size;
    if (!is_moved) return address;
    const auto to = moved_.find(address - fat().sh_addr);
    if (to == moved_.end())
      throw CannotShrink(fmt::format("something points into a bundle, to address {:#x}", address));
    return fat().sh_addr + to->second;
  }

  /// The copy of a section's bytes that is changed.
  char* changed(const Elf64_Shdr& section) {
    if (section.sh_offset >= fat_end()) return new_back_.data() + (section.sh_offset - fat_end());
    return new_front_.data() + section.sh_offset;
  }

  /// Relocations and, in the wrappers that programs register, the pointers themselves.
  void move_pointers() {
    new_front_ = file_.substr(0, fat().sh_offset);
    new_back_ = file_.substr(fat_end());
    if (header_.e_type == ET_REL) {
      if (moved_.size() != 1 || moved_.begin()->first != 0)
        throw CannotShrink("an object file with several bundles in .hip_fatbin; link it first");
      return;
    }
    std::map<std::uint64_t, std::uint64_t> pointers;  // address of a pointer to what it points to
    for (const Elf64_Shdr& section : sections_)
      if (section.sh_type == SHT_RELA && (section.sh_flags & SHF_ALLOC) != 0)
        move_relocations(section, pointers);
    move_wrappers(pointers);
    for (const Elf64_Shdr& section : sections_)
      if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM) move_symbols(section);
  }

  /// The symbol of a relocation where that is one of .hip_fatbin; null for others.
  const Elf64_Sym* symbol_of(const std::vector<Elf64_Sym>& symbols, const Elf64_Rela& relocation) const {
    const std::uint32_t index = relocation.getSymbol();
    return index < symbols.size() && symbols[index].st_shndx == *fat_ ? &symbols[index] : nullptr;
  }

  void move_relocations(const Elf64_Shdr& section, std::map<std::uint64_t, std::uint64_t>& pointers) {
    const Elf64_Shdr& table = sections_[section.sh_link < sections_.size() ? section.sh_link : 0];
    const auto symbols =
        table.sh_type == SHT_DYNSYM
            ? read_table<Elf64_Sym>(file_, table.sh_offset, table.sh_size / sizeof(Elf64_Sym), "symbols")
            : std::vector<Elf64_Sym>{};
    auto relocations =
        read_table<Elf64_Rela>(file_, section.sh_offset, section.sh_size / sizeof(Elf64_Rela), "relocations");
    for (Elf64_Rela& relocation : relocations) {
      bool is_moved = false;
      if (new_address(relocation.r_offset, is_moved); is_moved)
        throw CannotShrink("a relocation changes .hip_fatbin itself");
      const std::uint32_t type = relocation.getType();
      const bool is_relative =
          header_.e_machine == EM_X86_64 ? type == R_X86_64_RELATIVE : type == R_AARCH64_RELATIVE;
      const std::uint64_t addend = static_cast<std::uint64_t>(relocation.r_addend);
      if (is_relative) {
        relocation.r_addend = static_cast<std::int64_t>(new_address(addend, is_moved));
        if (is_moved) pointers[relocation.r_offset] = addend;
      } else if (const Elf64_Sym* symbol = symbol_of(symbols, relocation); symbol != nullptr) {
        // The symbol moves, and with it what the loader writes.
        if (addend != 0) throw CannotShrink("a relocation points into a bundle by its symbol");
        new_address(symbol->st_value, is_moved);
        pointers[relocation.r_offset] = symbol->st_value;
      }
    }
    write_table(changed(section), relocations);
  }

  void move_wrappers(const std::map<std::uint64_t, std::uint64_t>& pointers) {
    if (!wrappers_)
      throw CannotShrink(
          "it has no section .hipFatBinSegment, so that it is not known what uses its bundles");
    const Elf64_Shdr& section = sections_[*wrappers_];
    std::map<std::uint64_t, bool> used;
    for (std::uint64_t at = 0; at + wrapper_bytes <= section.sh_size; at += wrapper_bytes) {
      char* const wrapper = changed(section) + at;
      std::uint32_t magic;
      std::memcpy(&magic, wrapper, sizeof magic);
      if (magic != wrapper_magic)
        throw CannotShrink(
            fmt::format("the wrapper at offset {:#x} of .hipFatBinSegment is of an unknown kind", at));
      std::uint64_t address;
      std::memcpy(&address, wrapper + wrapper_pointer, sizeof address);
      bool is_moved = false;
      const std::uint64_t in_place = new_address(address, is_moved);
      if (is_moved) std::memcpy(wrapper + wrapper_pointer, &in_place, sizeof in_place);
      if (const auto pointer = pointers.find(section.sh_addr + at + wrapper_pointer);
          pointer != pointers.end())
        address = pointer->second;
      used[address - fat().sh_addr] = true;
    }
    for (const auto& [offset, moved] : moved_)
      if (!used.contains(offset))
        throw CannotShrink(
            fmt::format("the bundle at offset {:#x} of .hip_fatbin is registered by no wrapper", offset));
  }

  void move_symbols(const Elf64_Shdr& section) {
    auto symbols =
        read_table<Elf64_Sym>(file_, section.sh_offset, section.sh_size / sizeof(Elf64_Sym), "symbols");
    for (Elf64_Sym& symbol : symbols)
      if (symbol.st_shndx == *fat_ && symbol.st_value >= fat().sh_addr)
        if (const auto to = moved_.find(symbol.st_value - fat().sh_addr); to != moved_.end())
          symbol.st_value = fat().sh_addr + to->second;
    write_table(changed(section), symbols);
  }

  /// The index of the segment that is loaded with the section; none in object files.
  std::optional<std::size_t> fat_segment() const {
    for (std::size_t i = 0; i < segments_.size(); ++i)
      if (const Elf64_Phdr& one = segments_[i]; one.p_type == PT_LOAD && fat().sh_offset >= one.p_offset &&
                                                fat_end() <= one.p_offset + one.p_filesz)
        return i;
    if (header_.e_type != ET_REL) throw CannotShrink("no segment loads .hip_fatbin");
    return std::nullopt;
  }

  /// What offsets may change by: pages, so that every part keeps its offset in a page.
  std::uint64_t page() const {
    std::uint64_t page = bundle_alignment;
    for (const Elf64_Phdr& segment : segments_)
      if (segment.p_type == PT_LOAD) page = std::max<std::uint64_t>(page, segment.p_align);
    if ((page & (page - 1)) != 0 || page > (1u << 30))
      throw CannotShrink("its segments are aligned to no power of two");
    return page;
  }

  /// Linux before 5.18 tells a program that its program headers are at their offset from the first segment.
  void refuse_old_kernels(const Elf64_Phdr& segment) const {
    const auto is = [](std::uint32_t type) {
      return [type](const Elf64_Phdr& one) { return one.p_type == type; };
    };
    const auto first = std::ranges::find_if(segments_, is(PT_LOAD));
    if (std::ranges::any_of(segments_, is(PT_INTERP)) &&
        segment.p_vaddr - segment.p_offset != first->p_vaddr - first->p_offset)
      throw CannotShrink(
          "a program whose .hip_fatbin is not at the address of its offset: Linux before 5.18 would not "
          "start it");
  }

  std::string write() {
    const std::optional<std::size_t> segment = fat_segment();
    const std::uint64_t old_end = fat_end(), fat_offset = fat().sh_offset, fat_bytes = new_content_.size();
    const bool has_tail = segment && segments_[*segment].p_offset + segments_[*segment].p_filesz > old_end;
    if (has_tail) {
      // The rest of the segment becomes one of its own: the table of segments grows, and goes where code was.
      refuse_old_kernels(segments_[*segment]);
      new_content_.resize(round_up(new_content_.size(), sizeof(std::uint64_t)));
      header_.e_phoff = fat_offset + new_content_.size();
      header_.e_phnum += 1;
      new_content_.resize(new_content_.size() + header_.e_phnum * sizeof(Elf64_Phdr));
    }
    const std::uint64_t alignment = page(), content_end = fat_offset + new_content_.size(),
                        new_cut = round_up(content_end, alignment), cut = old_end / alignment * alignment;
    if (new_cut >= cut) throw CannotShrink("nothing would be saved");
    const auto moved = [&](std::uint64_t offset) {
      return offset >= old_end ? offset - (cut - new_cut) : offset;
    };

    const Segments new_segments =
        segment ? split(*segment, content_end, cut, new_cut, has_tail, moved) : Segments{};
    sections_[*fat_].sh_size = fat_bytes;
    for (Elf64_Shdr& section : sections_) section.sh_offset = moved(section.sh_offset);
    header_.e_shoff = moved(header_.e_shoff);
    if (!has_tail) header_.e_phoff = moved(header_.e_phoff);

    std::string bytes = std::move(new_front_) + new_content_;
    bytes.resize(new_cut + (old_end - cut));
    bytes += new_back_;
    std::memcpy(bytes.data(), &header_, sizeof header_);
    write_table(bytes.data() + header_.e_phoff, new_segments);
    write_table(bytes.data() + header_.e_shoff, sections_);
    return bytes;
  }

  template <class Moved>
  Segments split(std::size_t index, std::uint64_t content_end, std::uint64_t cut, std::uint64_t new_cut,
                 bool has_tail, Moved moved) const {
    Segments segments;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      Elf64_Phdr one = segments_[i];
      if (i != index) {
        if (one.p_offset < fat().sh_offset && one.p_offset + one.p_filesz > fat().sh_offset)
          throw CannotShrink(fmt::format("segment {} reaches over .hip_fatbin", i));
        one.p_offset = moved(one.p_offset);
        if (one.p_type == PT_PHDR && has_tail) {
          one.p_offset = header_.e_phoff;
          one.p_vaddr = one.p_paddr = fat().sh_addr + (header_.e_phoff - fat().sh_offset);
          one.p_filesz = one.p_memsz = header_.e_phnum * sizeof(Elf64_Phdr);
        }
        segments.push_back(one);
        continue;
      }
      Elf64_Phdr tail = one;
      const std::uint64_t before = cut - one.p_offset;
      if (!has_tail && one.p_memsz != one.p_filesz)
        throw CannotShrink("zeroed memory follows .hip_fatbin in its segment");
      one.p_filesz = one.p_memsz = content_end - one.p_offset;
      segments.push_back(one);
      if (!has_tail) continue;
      tail.p_offset = new_cut;
      tail.p_vaddr += before;
      tail.p_paddr += before;
      tail.p_filesz -= before;
      tail.p_memsz -= before;
      segments.push_back(tail);
    }
    return segments;
  }

  std::string_view file_;
  const ShrinkOptions& options_;
  Elf64_Ehdr header_{};
  Segments segments_;
  std::vector<Elf64_Shdr> sections_;
  std::optional<std::size_t> fat_, wrappers_;     ///< indices of sections
  std::map<std::uint64_t, std::uint64_t> moved_;  ///< offsets of bundles in the section, old to new
  std::string new_content_;                       ///< of the section
  std::string new_front_,
      new_back_;  ///< the file before and after the section, with what points into it changed
};

}  // namespace

std::string shrink_elf(std::string_view file, const ShrinkOptions& options) {
  return ElfShrinker(file, options).run();
}

}  // namespace kernelgen::tool
