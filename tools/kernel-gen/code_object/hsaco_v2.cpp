#include "code_object/hsaco_v2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace kernelgen::tool {
namespace {

namespace elf = llvm::ELF;

/// Of amd_kernel_code_t (AMDGPUUsage, "Kernel Descriptor" of code object v2; LLVM's AMDKernelCodeT.h).
constexpr std::size_t descriptor_bytes = 256, private_at = 60, group_at = 64, kernarg_at = 72, sgprs_at = 84,
                      vgprs_at = 86, wave_size_log_at = 115;

template <class T>
T load(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// "gfx803" by the note of three numbers, the last digit in hexadecimal.
std::string processor_of(const ElfImage& image) {
  constexpr std::size_t numbers_at = 4, number_bytes = 4;
  for (const ElfNote& note : image.notes()) {
    if (note.owner != "AMD" || note.type != elf::NT_AMD_HSA_ISA_VERSION) continue;
    if (note.description.size() < numbers_at + 3 * number_bytes) break;
    const auto number = [&](std::size_t i) {
      return load<std::uint32_t>(note.description, numbers_at + i * number_bytes);
    };
    return fmt::format("gfx{}{:x}{:x}", number(0), number(1), number(2));
  }
  throw BadCodeObject("no NT_AMD_HSA_ISA_VERSION note, which names the GPU in code objects of version 2");
}

CodeKernel read_kernel(const ElfImage& image, const ElfSymbol& symbol) {
  const std::string_view descriptor = image.mapped(symbol.address);
  if (descriptor.size() < descriptor_bytes)
    throw BadCodeObject(
        fmt::format("kernel {}: its descriptor reaches past the end of its segment", symbol.name));
  CodeKernel kernel;
  kernel.name = symbol.name;
  kernel.code_bytes = symbol.size;
  kernel.scratch_bytes = load<std::uint32_t>(descriptor, private_at);
  kernel.lds_bytes = load<std::uint32_t>(descriptor, group_at);
  kernel.kernarg_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(
      load<std::uint64_t>(descriptor, kernarg_at), std::numeric_limits<std::uint32_t>::max()));
  kernel.sgprs = load<std::uint16_t>(descriptor, sgprs_at);
  kernel.vgprs = load<std::uint16_t>(descriptor, vgprs_at);
  kernel.wave_size = load<std::uint8_t>(descriptor, wave_size_log_at) == 5 ? 32 : 64;
  return kernel;
}

}  // namespace

CodeObject read_hsaco_v2(const ElfImage& image) {
  CodeObject object;
  object.kind = CodeKind::hsaco;
  object.code_object_version = 2;
  object.flags = image.flags();
  object.processor = object.target_id = processor_of(image);
  for (const ElfSymbol& symbol : image.symbols(elf::SHT_DYNSYM))
    if (symbol.is_defined && symbol.type == elf::STT_AMDGPU_HSA_KERNEL)
      object.kernels.push_back(read_kernel(image, symbol));
  return object;
}

}  // namespace kernelgen::tool
