#pragma once
#include <elf.h>

#include <cstddef>
#include <cstring>
#include <vector>

namespace kernelgen::test {

/// The least an AMD code object of that version needs for its ELF header to be understood: the header, one
/// segment and its 16 bytes.
inline std::vector<std::byte> amd_code_object(int version) {
  constexpr unsigned char osabi_amdgpu_hsa = 64;
  constexpr Elf64_Half machine_amdgpu = 224;
  constexpr std::size_t content = 16;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_OSABI] = osabi_amdgpu_hsa;
  header.e_ident[EI_ABIVERSION] = static_cast<unsigned char>(version - 2);
  header.e_machine = machine_amdgpu;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = content;
  std::vector<std::byte> bytes(sizeof header + sizeof segment + content);
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &segment, sizeof segment);
  return bytes;
}

}  // namespace kernelgen::test
