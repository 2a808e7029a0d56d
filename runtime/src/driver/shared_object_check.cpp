#include "driver/shared_object_check.hpp"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "common/format.hpp"
#include "driver/code_object.hpp"

namespace kernelgen {
namespace {

using Word = std::uint64_t;

constexpr Word page = 4096;
/// Far above what any module takes, far below the end of the address space.
constexpr Word most_memory = Word{1} << 40;

struct Defect {
  std::string text;
};

[[noreturn]] void refuse(std::string text) { throw Defect{std::move(text)}; }

/// The file as the loader maps it: addresses count from where the object lies in memory.
class Image {
 public:
  explicit Image(std::span<const std::byte> code) : code_(code) {
    const auto header = in_file<Elf64_Ehdr>(0);
    if (header.e_type != ET_DYN) refuse("it is no shared object");
    if (header.e_phentsize != sizeof(Elf64_Phdr))
      refuse(formatted("its program headers have {} bytes each, not {}", header.e_phentsize,
                       sizeof(Elf64_Phdr)));
    for (std::uint16_t i = 0; i < header.e_phnum; ++i)
      segments_.push_back(in_file<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
    check_segments();
  }

  const std::vector<Elf64_Phdr>& segments() const { return segments_; }

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
      refuse(formatted("{} ({} bytes at {:#x}) lies outside of what is loaded", what, bytes, address));
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
        refuse(formatted("its segment {} does not fit its place in memory", i));
      // The rest of its last page is cleared, which the file has to back.
      if (s.p_memsz > 0 && s.p_offset / page * page >= code_.size())
        refuse(formatted("its segment {} begins behind its {} bytes", i, code_.size()));
      end = (s.p_vaddr + s.p_memsz + page - 1) / page * page;
    }
    if (end == 0) refuse("it has nothing to load");
    for (const Elf64_Phdr& s : segments_) {
      const bool reads_file = s.p_type == PT_PHDR || s.p_type == PT_DYNAMIC || s.p_type == PT_TLS ||
                              s.p_type == PT_GNU_EH_FRAME || s.p_type == PT_GNU_PROPERTY ||
                              s.p_type == PT_NOTE;
      if (reads_file && s.p_memsz > 0) need("a segment of tables", s.p_vaddr, s.p_filesz);
      if (s.p_type == PT_GNU_RELRO && !is_mapped(s.p_vaddr, s.p_memsz, 0))
        refuse("the memory to be made read-only lies outside of what is loaded");
    }
  }

  std::span<const std::byte> code_;
  std::vector<Elf64_Phdr> segments_;
};

/// The dynamic table and what it points to.
class Dynamic {
 public:
  explicit Dynamic(const Image& image) : image_(image) {
    read();
    strings_ = value("string table", DT_STRTAB);
    string_bytes_ = value("string table's size", DT_STRSZ);
    if (string_bytes_ == 0) refuse("its string table is empty");
    image_.need("its string table", strings_, string_bytes_);
    if (image_.at<char>("its string table", strings_ + string_bytes_ - 1) != '\0')
      refuse("its string table does not end");
  }

  void check() {
    for (const Word tag : {DT_SONAME, DT_RPATH, DT_RUNPATH, DT_AUXILIARY, DT_FILTER})
      if (const auto offset = find(tag)) check_string(*offset);
    for (const Word offset : needed_) check_string(offset);
    check_symbols();
    check_relocations(DT_RELA, DT_RELASZ);
    check_relocations(DT_JMPREL, DT_PLTRELSZ);
    check_relative_relocations();
    if (find(DT_REL)) refuse("its relocations are of a kind that this machine does not use");
    check_versions();
    for (const Word tag : {DT_INIT, DT_FINI})
      if (const auto address = find(tag)) image_.need("a function it runs", *address, 1, PF_X);
    for (const auto& [array, bytes] :
         {std::pair{DT_INIT_ARRAY, DT_INIT_ARRAYSZ}, {DT_FINI_ARRAY, DT_FINI_ARRAYSZ}})
      if (const auto address = find(array))
        image_.need("its list of functions to run", *address, value("list's size", bytes), PF_R);
  }

 private:
  void read() {
    const auto& segments = image_.segments();
    const auto is_table = [](const Elf64_Phdr& s) { return s.p_type == PT_DYNAMIC; };
    if (std::count_if(segments.begin(), segments.end(), is_table) != 1)
      refuse("it has not one dynamic table");
    const Elf64_Phdr& table = *std::find_if(segments.begin(), segments.end(), is_table);
    // The loader writes addresses into it.
    image_.need("its dynamic table", table.p_vaddr, table.p_memsz, PF_R | PF_W);
    if (table.p_vaddr % alignof(Elf64_Dyn) != 0) refuse("its dynamic table is not aligned");
    for (Word i = 0; i < table.p_memsz / sizeof(Elf64_Dyn); ++i) {
      const auto entry = image_.at<Elf64_Dyn>("its dynamic table", table.p_vaddr + i * sizeof(Elf64_Dyn));
      const auto tag = static_cast<Word>(entry.d_tag);
      if (tag == DT_NULL) return;
      entries_[tag] = entry.d_un.d_val;
      if (tag == DT_NEEDED) needed_.push_back(entry.d_un.d_val);
    }
    refuse("its dynamic table does not end");
  }

  std::optional<Word> find(Word tag) const {
    const auto entry = entries_.find(tag);
    return entry == entries_.end() ? std::nullopt : std::optional(entry->second);
  }
  Word value(std::string_view what, Word tag) const {
    const auto found = find(tag);
    if (!found) refuse(formatted("its dynamic table says nothing of the {}", what));
    return *found;
  }
  void check_size(Word tag, Word size) const {
    if (find(tag).value_or(size) != size) refuse("its dynamic table speaks of entries of another size");
  }
  void check_string(Word offset) const {
    if (offset >= string_bytes_) refuse("a name lies outside of its string table");
  }
  std::string text(Word offset) const {
    check_string(offset);
    std::string name;
    for (; const char c = image_.at<char>("a name", strings_ + offset); ++offset) name += c;
    return name;
  }

  void check_symbols() {
    check_size(DT_SYMENT, sizeof(Elf64_Sym));
    value("size of symbols", DT_SYMENT);
    const Word table = value("symbol table", DT_SYMTAB);
    if (!find(DT_HASH) && !find(DT_GNU_HASH)) refuse("its symbols have no index");
    if (find(DT_HASH)) check_hash();
    if (find(DT_GNU_HASH)) check_gnu_hash();
    if (symbols_ > most_memory / sizeof(Elf64_Sym)) refuse("it has too many symbols");
    image_.need("its symbol table", table, symbols_ * sizeof(Elf64_Sym));
    for (Word i = 0; i < symbols_; ++i) {
      const auto symbol = image_.at<Elf64_Sym>("a symbol", table + i * sizeof(Elf64_Sym));
      check_string(symbol.st_name);
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      const bool is_code = symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
      if (is_code && !image_.is_mapped(symbol.st_value, 0, PF_X))
        refuse(formatted("its symbol {} lies outside of what is loaded", text(symbol.st_name)));
    }
  }

  Elf64_Word word(std::string_view what, Word address) const { return image_.at<Elf64_Word>(what, address); }

  void check_hash() {
    const Word table = *find(DT_HASH);
    const Word buckets = word("its index", table), chains = word("its index", table + 4);
    image_.need("its index", table, (2 + buckets + chains) * 4);
    symbols_ = chains;
    for (Word i = 0; i < buckets + chains; ++i)
      if (word("its index", table + (2 + i) * 4) >= std::max<Word>(chains, 1)) refuse("its index is damaged");
    // A chain that came back to itself would be followed for ever.
    for (Word i = 0; i < buckets; ++i) {
      Word steps = 0;
      for (Word at = word("its index", table + (2 + i) * 4); at != 0; ++steps) {
        if (steps > chains) refuse("its index is damaged");
        at = word("its index", table + (2 + buckets + at) * 4);
      }
    }
  }

  void check_gnu_hash() {
    const Word table = *find(DT_GNU_HASH);
    const Word buckets = word("its index", table), first = word("its index", table + 4);
    const Word filters = word("its index", table + 8);
    if (!std::has_single_bit(filters) || word("its index", table + 12) >= 64) refuse("its index is damaged");
    const Word lists = table + 16 + filters * 8, chains = lists + buckets * 4;
    image_.need("its index", table, chains - table);
    Word count = first;
    for (Word i = 0; i < buckets; ++i) {
      Word at = word("its index", lists + i * 4);
      if (at == 0) continue;
      if (at < first) refuse("its index is damaged");
      while ((word("its index", chains + (at - first) * 4) & 1) == 0) ++at;
      count = std::max(count, at + 1);
    }
    symbols_ = std::max(symbols_, count);
  }

  /// A place that is relocated.
  void check_write(Word address) const {
    // With DT_TEXTREL the loader makes all segments writable.
    const bool writes_all = find(DT_TEXTREL) || (find(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0;
    if (!image_.is_mapped(address, 8, writes_all ? PF_R : PF_R | PF_W))
      refuse(formatted("a relocation writes to {:#x}, outside of what is loaded", address));
  }

  /// Addresses, and bit maps of the 63 words behind them.
  void check_relative_relocations() const {
    if (!find(DT_RELR) && !find(DT_RELRSZ)) return;
    const Word first = value("relocations", DT_RELR), bytes = value("size of the relocations", DT_RELRSZ);
    check_size(DT_RELRENT, sizeof(Word));
    image_.need("its relocations", first, bytes);
    Word at = 0;
    for (Word i = 0; i < bytes / sizeof(Word); ++i) {
      const Word entry = image_.at<Word>("its relocations", first + i * sizeof(Word));
      if (entry % 2 == 0) {
        check_write(at = entry);
        at += sizeof(Word);
        continue;
      }
      for (Word bit = 1; bit < 64; ++bit)
        if ((entry >> bit & 1) != 0) check_write(at + (bit - 1) * sizeof(Word));
      at += 63 * sizeof(Word);
    }
  }

  void check_relocations(Word tag, Word size_tag) const {
    const auto table = find(tag);
    if (!table) return;
    const Word bytes = value("size of the relocations", size_tag);
    check_size(DT_RELAENT, sizeof(Elf64_Rela));
    check_size(DT_PLTREL, DT_RELA);
    image_.need("its relocations", *table, bytes);
    for (Word i = 0; i < bytes / sizeof(Elf64_Rela); ++i) {
      const auto entry = image_.at<Elf64_Rela>("its relocations", *table + i * sizeof(Elf64_Rela));
      if (ELF64_R_TYPE(entry.r_info) == 0) continue;
      check_write(entry.r_offset);
      if (ELF64_R_SYM(entry.r_info) >= std::max<Word>(symbols_, 1))
        refuse(formatted("its relocation {} is of a symbol that is not there", i));
    }
  }

  void check_versions() const {
    std::vector<std::string> libraries;
    for (const Word offset : needed_) libraries.push_back(text(offset));
    Word most = 1;  // 0 and 1 stand for no version
    Word steps = 0;
    const auto step = [&](Word& address, Word next) {
      address += next;
      if (++steps > 0xffff) refuse("its versions do not end");
      return next != 0;
    };
    if (auto address = find(DT_VERNEED)) {
      Elf64_Verneed list;
      do {
        list = image_.at<Elf64_Verneed>("its versions", *address);
        if (std::find(libraries.begin(), libraries.end(), text(list.vn_file)) == libraries.end())
          refuse("it wants a version of a library that it does not need");
        Word at = *address + list.vn_aux;
        Elf64_Vernaux version;
        do {
          version = image_.at<Elf64_Vernaux>("its versions", at);
          check_string(version.vna_name);
          most = std::max<Word>(most, version.vna_other & 0x7fff);
        } while (step(at, version.vna_next));
      } while (step(*address, list.vn_next));
    }
    if (auto address = find(DT_VERDEF)) {
      Elf64_Verdef list;
      do {
        list = image_.at<Elf64_Verdef>("its versions", *address);
        check_string(image_.at<Elf64_Verdaux>("its versions", *address + list.vd_aux).vda_name);
        most = std::max<Word>(most, list.vd_ndx & 0x7fff);
      } while (step(*address, list.vd_next));
    }
    if (const auto table = find(DT_VERSYM))
      for (Word i = 0; i < symbols_; ++i)
        if ((image_.at<Elf64_Half>("its versions", *table + i * 2) & 0x7fff) > most)
          refuse("a symbol has a version that is not there");
  }

  const Image& image_;
  std::map<Word, Word> entries_;
  std::vector<Word> needed_;
  Word strings_ = 0, string_bytes_ = 0;
  Word symbols_ = 0;
};

}  // namespace

std::string shared_object_defect(std::span<const std::byte> code) {
  if (!is_elf(code)) return {};
  if (std::string defect = image_defect(code); !defect.empty()) return defect;
  try {
    const Image image(code);
    Dynamic(image).check();
  } catch (const Defect& defect) {
    return defect.text;
  }
  return {};
}

}  // namespace kernelgen
