#include "amdgpu/hip/code_bundle.hpp"

#include <elf.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "amdgpu/fault.hpp"
#include "offload/bundle.hpp"
#include "offload/compressed_bundle.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

/// How many bytes of an ELF image there are: callers do not say.
std::size_t image_bytes(const std::byte* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
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

/// The code object of a bundle for a GPU: of its own processor, else of its family; empty without one.
std::string_view choose(const Isa& isa, std::string_view bundle) {
  std::string_view generic;
  for (const offload::BundleEntry& entry : offload::read_bundle(bundle)) {
    const std::string_view target = offload::target_of(entry.id),
                           processor = target.substr(0, target.find(':'));
    if (processor == isa.processor) return entry.bytes;
    if (runs(isa, processor)) generic = entry.bytes;
  }
  return generic;
}

std::vector<std::byte> copy(std::string_view bytes) {
  const auto* const data = reinterpret_cast<const std::byte*>(bytes.data());
  return {data, data + bytes.size()};
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

std::vector<std::byte> code_for(const Isa& isa, const void* image) {
  const auto* const start = static_cast<const char*>(image);
  try {
    if (offload::is_compressed_bundle({start, offload::compressed_magic.size()}))
      return copy(choose(isa, offload::decompress_bundle(offload::compressed_bundle_in_memory(image))));
    if (offload::is_bundle({start, offload::bundle_magic.size()}))
      return copy(choose(isa, offload::bundle_in_memory(image)));
  } catch (const offload::BadBundle& error) {
    throw Fault(Fault::Kind::code_object, error.what());
  }
  return copy({start, image_bytes(static_cast<const std::byte*>(image))});
}

}  // namespace kernelgen::amdgpu::hip
