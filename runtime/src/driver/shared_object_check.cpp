#include "driver/shared_object_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "common/format.hpp"
#include "driver/code_object.hpp"
#include "driver/shared_object_image.hpp"

namespace kernelgen {
namespace {

using namespace shared_object;

constexpr Elf64_Word relative_type =
#if defined(__aarch64__)
    R_AARCH64_RELATIVE;
#else
    R_X86_64_RELATIVE;
#endif
constexpr Elf64_Word symbol_type =
#if defined(__aarch64__)
    R_AARCH64_ABS64;
#else
    R_X86_64_64;
#endif

/// Where the loader finds one of these tags it reads the others too, whether they are there or not.
struct Partners {
  std::string_view what;
  std::array<Word, 3> tags;  ///< the last again, where there are two
};
constexpr Partners partners[] = {
    {"relocations", {DT_RELA, DT_RELASZ, DT_RELAENT}},
    {"relocations of calls", {DT_JMPREL, DT_PLTRELSZ, DT_PLTREL}},
    {"packed relocations", {DT_RELR, DT_RELRSZ, DT_RELRENT}},
    {"functions to run first", {DT_INIT_ARRAY, DT_INIT_ARRAYSZ, DT_INIT_ARRAYSZ}},
    {"functions to run last", {DT_FINI_ARRAY, DT_FINI_ARRAYSZ, DT_FINI_ARRAYSZ}},
    {"versions it wants", {DT_VERNEED, DT_VERNEEDNUM, DT_VERNEEDNUM}},
    {"versions it has", {DT_VERDEF, DT_VERDEFNUM, DT_VERDEFNUM}},
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
    check_partners();
    for (const Word tag : {DT_SONAME, DT_RPATH, DT_RUNPATH, DT_AUXILIARY, DT_FILTER})
      if (const auto offset = find(tag)) check_string(*offset);
    for (const Word offset : needed_) check_string(offset);
    check_symbols();
    check_relocations(DT_RELA, DT_RELASZ);
    check_relocations(DT_JMPREL, DT_PLTRELSZ);
    check_relative_count();
    check_relative_relocations();
    if (find(DT_REL)) refuse("its relocations are of a kind that this machine does not use");
    check_versions();
    for (const Word tag : {DT_INIT, DT_FINI})
      if (const auto address = find(tag)) {
        check_function(*address);
        if (!image_.begins_function(*address)) refuse("a function it runs begins in the middle of another");
      }
    check_functions(DT_INIT_ARRAY, DT_INIT_ARRAYSZ);
    check_functions(DT_FINI_ARRAY, DT_FINI_ARRAYSZ);
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
  void check_partners() const {
    const auto has = [&](Word tag) { return find(tag).has_value(); };
    for (const auto& [what, tags] : partners)
      if (std::ranges::any_of(tags, has) && !std::ranges::all_of(tags, has))
        refuse(formatted("its dynamic table lacks the address, the size or the kind of the {}", what));
    if (find(DT_RELACOUNT) && !find(DT_RELA)) refuse("it counts relocations and has none");
    if (find(DT_VERSYM).has_value() != (find(DT_VERNEED) || find(DT_VERDEF)))
      refuse("its symbols have versions that are not there, or have none of those that are");
  }
  void check_size(Word tag, Word size) const {
    if (find(tag).value_or(size) != size) refuse("its dynamic table speaks of entries of another size");
  }
  void check_string(Word offset) const {
    if (offset >= string_bytes_) refuse("a name is outside of its string table");
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
      // The loader takes a local symbol as it stands, without a look whether anything defines it.
      if (ELF64_ST_BIND(symbol.st_info) == STB_LOCAL && symbol.st_shndx == SHN_UNDEF &&
          (symbol.st_name != 0 || symbol.st_value != 0 || symbol.st_size != 0))
        refuse("its symbol table has a local symbol that is not defined");
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      const bool is_code = symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
      if (is_code && !image_.is_mapped(symbol.st_value, 0, PF_X))
        refuse(formatted("its symbol {} is outside of the loaded segments", text(symbol.st_name)));
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

  /// An address that is relocated.
  void check_write(Word address) const {
    // With DT_TEXTREL the loader makes all segments writable.
    const bool writes_all = find(DT_TEXTREL) || (find(DT_FLAGS).value_or(0) & DF_TEXTREL) != 0;
    if (!image_.is_mapped(address, 8, writes_all ? PF_R : PF_R | PF_W))
      refuse(formatted("a relocation writes to {:#x}, outside of what is loaded", address));
  }

  /// Addresses, and bit maps of the 63 words after them.
  void check_relative_relocations() {
    if (!find(DT_RELR)) return;
    const auto relocate = [&](Word at) {
      check_write(at);
      targets_[at] = image_.at<Word>("an address", at);
    };
    const Word first = value("relocations", DT_RELR), bytes = value("size of the relocations", DT_RELRSZ);
    check_size(DT_RELRENT, sizeof(Word));
    image_.need("its relocations", first, bytes);
    Word at = 0;
    for (Word i = 0; i < bytes / sizeof(Word); ++i) {
      const Word entry = image_.at<Word>("its relocations", first + i * sizeof(Word));
      if (entry % 2 == 0) {
        relocate(at = entry);
        at += sizeof(Word);
        continue;
      }
      for (Word bit = 1; bit < 64; ++bit)
        if ((entry >> bit & 1) != 0) relocate(at + (bit - 1) * sizeof(Word));
      at += 63 * sizeof(Word);
    }
  }

  void check_relocations(Word tag, Word size_tag) {
    const auto table = find(tag);
    if (!table) return;
    const Word bytes = value("size of the relocations", size_tag);
    check_size(DT_RELAENT, sizeof(Elf64_Rela));
    check_size(DT_PLTREL, DT_RELA);
    if (*table % alignof(Elf64_Rela) != 0 || bytes == 0 || bytes % sizeof(Elf64_Rela) != 0)
      refuse(formatted("its relocations ({} bytes at {:#x}) are not a list of entries of {} bytes", bytes,
                       *table, sizeof(Elf64_Rela)));
    image_.need("its relocations", *table, bytes);
    for (Word i = 0; i < bytes / sizeof(Elf64_Rela); ++i) {
      const auto entry = image_.at<Elf64_Rela>("its relocations", *table + i * sizeof(Elf64_Rela));
      // The loader looks up the symbol's version whatever the type is.
      if (ELF64_R_SYM(entry.r_info) >= std::max<Word>(symbols_, 1))
        refuse(formatted("its relocation {} is of a symbol that is not there", i));
      const Elf64_Word type = ELF64_R_TYPE(entry.r_info);
      if (type == 0) continue;
      check_write(entry.r_offset);
      if (type == relative_type) targets_[entry.r_offset] = static_cast<Word>(entry.r_addend);
      if (type == symbol_type) {
        const auto symbol = image_.at<Elf64_Sym>(
            "a symbol", *find(DT_SYMTAB) + ELF64_R_SYM(entry.r_info) * sizeof(Elf64_Sym));
        // An undefined one is the loader's to find.
        if (symbol.st_shndx != SHN_UNDEF)
          targets_[entry.r_offset] = symbol.st_value + static_cast<Word>(entry.r_addend);
      }
    }
  }

  /// The first relocations, which the loader takes for relative ones without a look at them.
  void check_relative_count() const {
    const Word count = find(DT_RELACOUNT).value_or(0);
    if (count == 0) return;
    if (count > value("size of the relocations", DT_RELASZ) / sizeof(Elf64_Rela))
      refuse(formatted("it counts {} relative relocations, more than there are", count));
    for (Word i = 0; i < count; ++i)
      if (ELF64_R_TYPE(
              image_.at<Elf64_Rela>("its relocations", *find(DT_RELA) + i * sizeof(Elf64_Rela)).r_info) !=
          relative_type)
        refuse(formatted("its relocation {} is counted as a relative one, which it is not", i));
  }

  void check_function(Word address) const { image_.need("a function it runs", address, 1, PF_X); }

  /// Addresses of functions, which a relocation each writes.
  void check_functions(Word tag, Word size_tag) const {
    const auto table = find(tag);
    if (!table) return;
    const Word bytes = value("list's size", size_tag);
    if (*table % sizeof(Word) != 0 || bytes % sizeof(Word) != 0)
      refuse(formatted("its list of functions to run ({} bytes at {:#x}) is not a list of addresses", bytes,
                       *table));
    image_.need("its list of functions to run", *table, bytes);
    for (Word at = *table; at != *table + bytes; at += sizeof(Word)) {
      const auto target = targets_.find(at);
      if (target == targets_.end()) refuse(formatted("the function to run at {:#x} has no address", at));
      check_function(target->second);
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
  std::map<Word, Word> targets_;  ///< where relocations write addresses of the object, and which
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
