#include "code_object/cubin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace kernelgen::tool {
namespace {

namespace elf = llvm::ELF;

constexpr std::uint16_t kparam_info = 0x17;
constexpr std::uint16_t max_threads = 0x05;
constexpr std::uint16_t frame_size = 0x11;
constexpr std::uint16_t register_count = 0x2f;

template <class T>
T load(std::string_view bytes, std::size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Calls `visit(attribute, payload)` for each record that has a payload. A record is { u8 format, u8
/// attribute, u16 value }; in format 4 the value is the size of a payload that follows.
template <class Visit>
void for_each_record(std::string_view bytes, std::string_view section, Visit visit) {
  while (bytes.size() >= 4) {
    const std::uint8_t format = load<std::uint8_t>(bytes, 0);
    const std::uint8_t attribute = load<std::uint8_t>(bytes, 1);
    const std::uint16_t size = load<std::uint16_t>(bytes, 2);
    bytes.remove_prefix(4);
    if (format != 4) continue;
    if (size > bytes.size())
      throw BadCodeObject(fmt::format("section {}: a record reaches past its end", section));
    visit(attribute, bytes.substr(0, size));
    bytes.remove_prefix(size);
  }
}

CodeKernel read_kernel(std::string_view name, const ElfSection& section) {
  CodeKernel kernel;
  kernel.name = name;
  kernel.wave_size = 32;
  for_each_record(section.bytes, section.name, [&](std::uint8_t attribute, std::string_view payload) {
    if (attribute == kparam_info && payload.size() >= 12) {
      // { u32 index, u16 ordinal, u16 offset, u32 bits }; the size is in the upper 14 bits.
      CodeArgument argument;
      argument.offset = load<std::uint16_t>(payload, 6);
      argument.size = load<std::uint32_t>(payload, 8) >> 18;
      kernel.kernarg_bytes = std::max(kernel.kernarg_bytes, argument.offset + argument.size);
      kernel.arguments.push_back(argument);
    } else if (attribute == max_threads && payload.size() >= 12) {
      const std::uint64_t threads = std::uint64_t{load<std::uint32_t>(payload, 0)} *
                                    load<std::uint16_t>(payload, 4) * load<std::uint16_t>(payload, 8);
      kernel.max_block = static_cast<std::uint32_t>(std::min<std::uint64_t>(threads, 1024));
    }
  });
  std::stable_sort(kernel.arguments.begin(), kernel.arguments.end(),
                   [](const CodeArgument& a, const CodeArgument& b) { return a.offset < b.offset; });
  return kernel;
}

/// Registers and stack are recorded for all kernels together, by symbol index.
void read_resources(const ElfImage& image, const ElfSection& section,
                    std::map<std::string_view, CodeKernel>& kernels) {
  const std::vector<ElfSymbol> symbols = image.symbols(elf::SHT_SYMTAB);
  for_each_record(section.bytes, section.name, [&](std::uint8_t attribute, std::string_view payload) {
    if (payload.size() < 8 || (attribute != register_count && attribute != frame_size)) return;
    const std::uint32_t index = load<std::uint32_t>(payload, 0);
    if (index >= symbols.size())
      throw BadCodeObject(fmt::format("section {}: no symbol {}", section.name, index));
    const auto kernel = kernels.find(symbols[index].name);
    if (kernel == kernels.end()) return;  // a device function
    (attribute == register_count ? kernel->second.vgprs : kernel->second.scratch_bytes) =
        load<std::uint32_t>(payload, 4);
  });
}

}  // namespace

CodeObject read_cubin(const ElfImage& image) {
  constexpr std::string_view info = ".nv.info";
  constexpr std::string_view shared = ".nv.shared.", text = ".text.";
  CodeObject object;
  object.kind = CodeKind::cubin;
  object.flags = image.flags();
  // ABI 8 (CUDA 13) moved the architecture to the second byte.
  object.processor =
      fmt::format("sm_{}", (image.abi_version() >= 8 ? object.flags >> 8 : object.flags) & 0xff);
  object.target_id = object.processor;
  const std::vector<ElfSection> sections = image.sections();
  std::map<std::string_view, CodeKernel> kernels;
  for (const ElfSection& section : sections)
    if (section.name.size() > info.size() + 1 && section.name.starts_with(".nv.info.")) {
      const std::string_view name = section.name.substr(info.size() + 1);
      kernels[name] = read_kernel(name, section);
    }
  for (const ElfSection& section : sections) {
    if (section.name == info) read_resources(image, section, kernels);
    if (section.name.starts_with(text))
      if (const auto kernel = kernels.find(section.name.substr(text.size())); kernel != kernels.end())
        kernel->second.code_bytes = section.size;
    if (!section.name.starts_with(shared)) continue;
    if (const auto kernel = kernels.find(section.name.substr(shared.size())); kernel != kernels.end())
      kernel->second.lds_bytes =
          static_cast<std::uint32_t>(std::min<std::uint64_t>(section.size, UINT32_MAX));
  }
  for (auto& [name, kernel] : kernels) object.kernels.push_back(std::move(kernel));
  return object;
}

}  // namespace kernelgen::tool
