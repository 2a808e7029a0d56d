#include "support/host_program.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace kernelgen::tool {
namespace {

constexpr std::size_t page = 4096;
constexpr std::string_view names[] = {"",        ".rela.dyn",         ".hip_fatbin",
                                      ".rodata", ".hipFatBinSegment", ".shstrtab"};

std::string string_table() {
  std::string table;
  for (const std::string_view name : names) table += std::string(name) + '\0';
  return table;
}

std::uint32_t name_offset(std::size_t index) {
  std::size_t offset = 0;
  for (std::size_t i = 0; i < index; ++i) offset += names[i].size() + 1;
  return static_cast<std::uint32_t>(offset);
}

template <class T>
void put(std::string& bytes, std::size_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

std::size_t up(std::size_t value) { return (value + page - 1) / page * page; }

}  // namespace

std::string host_program(std::string_view fatbin) {
  const std::string_view rodata = "after the code";
  const std::string strings = string_table();
  const std::size_t rela = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr), fat = page,
                    after = fat + fatbin.size(), wrapper = up(after + rodata.size()),
                    strings_at = wrapper + 24, sections_at = strings_at + 128;
  std::string bytes(sections_at + std::size(names) * sizeof(Elf64_Shdr), '\0');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_version = EV_CURRENT;
  header.e_phoff = sizeof header;
  header.e_shoff = sections_at;
  header.e_ehsize = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 2;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = std::size(names);
  header.e_shstrndx = std::size(names) - 1;
  put(bytes, 0, header);
  const std::size_t read_only = after + rodata.size();
  // Addresses are offsets, but for the second segment, which has its own page.
  put(bytes, sizeof header, Elf64_Phdr{PT_LOAD, PF_R, 0, 0, 0, read_only, read_only, page});
  put(bytes, sizeof header + sizeof(Elf64_Phdr),
      Elf64_Phdr{PT_LOAD, PF_R | PF_W, wrapper, wrapper + page, wrapper + page, 24, 24, page});
  put(bytes, rela, Elf64_Rela{wrapper + page + 8, R_X86_64_RELATIVE, static_cast<Elf64_Sxword>(fat)});
  bytes.replace(fat, fatbin.size(), fatbin);
  bytes.replace(after, rodata.size(), rodata);
  put(bytes, wrapper, std::uint32_t{0x48495046});
  put(bytes, wrapper + 4, std::uint32_t{1});
  bytes.replace(strings_at, strings.size(), strings);
  const auto section = [&](std::size_t index, std::uint32_t type, std::uint64_t flags, std::size_t address,
                           std::size_t offset, std::size_t size) {
    put(bytes, sections_at + index * sizeof(Elf64_Shdr),
        Elf64_Shdr{name_offset(index), type, flags, address, offset, size, 0, 0, 8, 0});
  };
  section(1, SHT_RELA, SHF_ALLOC, rela, rela, sizeof(Elf64_Rela));
  section(2, SHT_PROGBITS, SHF_ALLOC, fat, fat, fatbin.size());
  section(3, SHT_PROGBITS, SHF_ALLOC, after, after, rodata.size());
  section(4, SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, wrapper + page, wrapper, 24);
  section(5, SHT_STRTAB, 0, 0, strings_at, strings.size());
  return bytes;
}

}  // namespace kernelgen::tool
