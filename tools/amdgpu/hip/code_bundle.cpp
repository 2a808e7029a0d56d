#include "amdgpu/hip/code_bundle.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "amdgpu/fault.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

constexpr std::string_view bundle_magic = "__CLANG_OFFLOAD_BUNDLE__", compressed_magic = "CCOB";

bool begins_with(const std::byte* image, std::string_view magic) {
  return std::memcmp(image, magic.data(), magic.size()) == 0;
}

/// How many bytes of an ELF image there are: callers do not say.
std::size_t image_bytes(const std::byte* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  if (!begins_with(image, ELFMAG) || header.e_ident[EI_CLASS] != ELFCLASS64)
    throw Fault(Fault::Kind::code_object, "hipModuleLoadData: the image is no 64-bit ELF file");
  std::uint64_t end =
      std::max<std::uint64_t>(sizeof header, header.e_shoff + header.e_shnum * sizeof(Elf64_Shdr));
  end = std::max(end, header.e_phoff + header.e_phnum * sizeof(Elf64_Phdr));
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image + header.e_phoff + i * sizeof segment, sizeof segment);
    end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, image + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS) end = std::max(end, section.sh_offset + section.sh_size);
  }
  return end;
}

/// "gfx90a" of "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+", empty for the host's entry.
std::string_view processor_of(std::string_view entry) {
  const auto at = entry.find("--gfx");
  if (!entry.starts_with("hip") || at == std::string_view::npos) return {};
  entry.remove_prefix(at + 2);
  return entry.substr(0, entry.find(':'));
}

}  // namespace

bool runs(const Isa& isa, std::string_view processor) {
  if (processor == isa.processor) return true;
  if (!processor.starts_with("gfx") || !processor.ends_with("-generic")) return false;
  unsigned major = 0, minor = 0;
  const char* const end = processor.data() + processor.size();
  const auto first = std::from_chars(processor.data() + 3, end, major);
  const bool has_minor = first.ptr + 1 < end && std::from_chars(first.ptr + 1, end, minor).ec == std::errc();
  if (major != isa.major) return false;
  if (has_minor) return major == 9 ? isa.minor >= minor : isa.minor == minor;
  return major != 9 || (isa.minor == 0 && isa.stepping != 8 && isa.stepping != 10);
}

std::span<const std::byte> code_for(const Isa& isa, const void* image) {
  const auto* const bytes = static_cast<const std::byte*>(image);
  if (begins_with(bytes, compressed_magic))
    throw Fault(Fault::Kind::unsupported,
                "the code objects are compressed; compile with --no-offload-compress");
  if (!begins_with(bytes, bundle_magic)) return {bytes, image_bytes(bytes)};
  const std::byte* at = bytes + bundle_magic.size();
  const auto take = [&] {
    std::uint64_t number = 0;
    std::memcpy(&number, at, sizeof number);
    at += sizeof number;
    return number;
  };
  std::span<const std::byte> generic;
  for (std::uint64_t left = take(); left > 0; --left) {
    const std::uint64_t offset = take(), size = take(), name_bytes = take();
    const std::string_view processor = processor_of({reinterpret_cast<const char*>(at), name_bytes});
    at += name_bytes;
    if (processor == isa.processor) return {bytes + offset, size};
    if (runs(isa, processor)) generic = {bytes + offset, size};
  }
  return generic;
}

}  // namespace kernelgen::amdgpu::hip
