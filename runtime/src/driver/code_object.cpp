#include "driver/code_object.hpp"

#include <elf.h>
#include "common/format.hpp"

#include <cctype>
#include <cstdint>
#include <cstring>

namespace kernelgen {
namespace {

constexpr std::uint16_t machine_amdgpu = 224;  // EM_AMDGPU
constexpr std::uint8_t osabi_amdgpu_hsa = 64;  // ELFOSABI_AMDGPU_HSA

Elf64_Ehdr header_of(std::span<const std::byte> code) {
  Elf64_Ehdr header;
  std::memcpy(&header, code.data(), sizeof header);
  return header;
}

bool in_range(std::uint64_t offset, std::uint64_t bytes, std::uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

}  // namespace

bool is_elf(std::span<const std::byte> code) {
  return code.size() >= SELFMAG && std::memcmp(code.data(), ELFMAG, SELFMAG) == 0;
}

bool is_text(std::span<const std::byte> code) {
  if (code.empty()) return false;
  const auto first = static_cast<unsigned char>(code.front());
  return std::isprint(first) != 0 || std::isspace(first) != 0;
}

int code_object_version(std::span<const std::byte> code) {
  if (!is_elf(code) || code.size() < sizeof(Elf64_Ehdr)) return 0;
  const Elf64_Ehdr header = header_of(code);
  if (header.e_machine != machine_amdgpu || header.e_ident[EI_OSABI] != osabi_amdgpu_hsa) return 0;
  return header.e_ident[EI_ABIVERSION] + 2;
}

std::string image_defect(std::span<const std::byte> code) {
  if (code.empty()) return "it is empty";
  if (!is_elf(code)) return {};  // text, or a driver-specific container
  if (code.size() < sizeof(Elf64_Ehdr))
    return formatted("{} bytes are fewer than an ELF header", code.size());
  const Elf64_Ehdr header = header_of(code);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return "it is not a 64-bit little-endian ELF file";
  if (!in_range(header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), code.size()) ||
      !in_range(header.e_phoff, std::uint64_t{header.e_phnum} * sizeof(Elf64_Phdr), code.size()))
    return formatted("its ELF header names tables past its end at {} bytes: it is truncated", code.size());
  for (std::uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, code.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type != PT_NULL && !in_range(segment.p_offset, segment.p_filesz, code.size()))
      return formatted("its segment {} ends past its {} bytes: it is truncated", i, code.size());
  }
  return {};
}

}  // namespace kernelgen
