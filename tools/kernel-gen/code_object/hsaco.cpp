#include "code_object/hsaco.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "code_object/hsaco_v2.hpp"
#include "code_object/metadata.hpp"

namespace kernelgen::tool {
namespace {

using nlohmann::json;
namespace elf = llvm::ELF;

/// Code objects of version 3 have the processor in the flags alone: names from the first number on.
constexpr std::uint32_t first_machine = elf::EF_AMDGPU_MACH_AMDGCN_GFX600;
constexpr std::string_view machines_of_version_3[] = {
    "gfx600",  "gfx601",  "gfx700", "gfx701",  "gfx702",  "gfx703",  "gfx704",  "",
    "gfx801",  "gfx802",  "gfx803", "gfx810",  "gfx900",  "gfx902",  "gfx904",  "gfx906",
    "gfx908",  "gfx909",  "gfx90c", "gfx1010", "gfx1011", "gfx1012", "gfx1030", "gfx1031",
    "gfx1032", "gfx1033", "gfx602", "gfx705",  "gfx805",  "gfx1035", "gfx1034", "gfx90a"};

std::string processor_of_version_3(std::uint32_t machine) {
  if (machine < first_machine || machine - first_machine >= std::size(machines_of_version_3) ||
      machines_of_version_3[machine - first_machine].empty())
    throw BadCodeObject(fmt::format("ELF header: machine {:#x} is no GPU of code object version 3", machine));
  return std::string(machines_of_version_3[machine - first_machine]);
}

/// "+" or "-" where the code object insists; nothing for "any" and for GPUs without the feature.
std::string features_of(std::uint32_t flags, int version) {
  std::string features;
  if (version == 3) {
    if (flags & elf::EF_AMDGPU_FEATURE_SRAMECC_V3) features += ":sramecc+";
    if (flags & elf::EF_AMDGPU_FEATURE_XNACK_V3) features += ":xnack+";
    return features;
  }
  const std::uint32_t sramecc = flags & elf::EF_AMDGPU_FEATURE_SRAMECC_V4;
  if (sramecc == elf::EF_AMDGPU_FEATURE_SRAMECC_ON_V4) features += ":sramecc+";
  if (sramecc == elf::EF_AMDGPU_FEATURE_SRAMECC_OFF_V4) features += ":sramecc-";
  const std::uint32_t xnack = flags & elf::EF_AMDGPU_FEATURE_XNACK_V4;
  if (xnack == elf::EF_AMDGPU_FEATURE_XNACK_ON_V4) features += ":xnack+";
  if (xnack == elf::EF_AMDGPU_FEATURE_XNACK_OFF_V4) features += ":xnack-";
  return features;
}

/// A key's number; `absent` where the key is not there (older versions lack some).
std::uint32_t number(const json& map, const char* key, std::uint32_t absent, const std::string& where) {
  const auto it = map.find(key);
  if (it == map.end()) return absent;
  if (!it->is_number_integer() || it->get<std::int64_t>() < 0 ||
      it->get<std::int64_t>() > std::numeric_limits<std::uint32_t>::max())
    throw BadCodeObject(fmt::format("metadata: {}: {} is no 32-bit number", where, key));
  return it->get<std::uint32_t>();
}

/// A key's text, of printable ASCII only: it ends in messages, tables and JSON.
std::string text(const json& map, const char* key, const std::string& where) {
  const auto it = map.find(key);
  if (it == map.end()) return {};
  if (!it->is_string()) throw BadCodeObject(fmt::format("metadata: {}: {} is not a string", where, key));
  const std::string& value = it->get_ref<const std::string&>();
  if (!std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; }))
    throw BadCodeObject(fmt::format("metadata: {}: {} holds unprintable characters", where, key));
  return value;
}

const json& list(const json& map, const char* key, const std::string& where) {
  static const json none = json::array();
  const auto it = map.find(key);
  if (it == map.end()) return none;
  if (!it->is_array()) throw BadCodeObject(fmt::format("metadata: {}: {} is not a list", where, key));
  for (const json& element : *it)
    if (!element.is_object())
      throw BadCodeObject(fmt::format("metadata: {}: {} holds something but maps", where, key));
  return *it;
}

CodeKernel read_kernel(const json& map) {
  CodeKernel kernel;
  kernel.name = text(map, ".name", "amdhsa.kernels");
  if (kernel.name.empty()) throw BadCodeObject("metadata: amdhsa.kernels: a kernel without a name");
  const std::string where = "kernel " + kernel.name;
  kernel.vgprs = number(map, ".vgpr_count", 0, where);
  kernel.agprs = number(map, ".agpr_count", 0, where);
  kernel.sgprs = number(map, ".sgpr_count", 0, where);
  kernel.vgpr_spills = number(map, ".vgpr_spill_count", 0, where);
  kernel.sgpr_spills = number(map, ".sgpr_spill_count", 0, where);
  kernel.lds_bytes = number(map, ".group_segment_fixed_size", 0, where);
  kernel.scratch_bytes = number(map, ".private_segment_fixed_size", 0, where);
  kernel.kernarg_bytes = number(map, ".kernarg_segment_size", 0, where);
  kernel.wave_size = number(map, ".wavefront_size", 0, where);
  kernel.max_block = number(map, ".max_flat_workgroup_size", 0, where);
  for (const json& row : list(map, ".args", where)) {
    CodeArgument argument;
    argument.name = text(row, ".name", where);
    argument.value_kind = text(row, ".value_kind", where);
    argument.offset = number(row, ".offset", 0, where);
    argument.size = number(row, ".size", 0, where);
    const bool hidden = argument.value_kind.starts_with("hidden_");
    (hidden ? kernel.hidden_arguments : kernel.arguments).push_back(std::move(argument));
  }
  for (auto* arguments : {&kernel.arguments, &kernel.hidden_arguments})
    std::stable_sort(arguments->begin(), arguments->end(),
                     [](const CodeArgument& a, const CodeArgument& b) { return a.offset < b.offset; });
  return kernel;
}

json metadata_of(const ElfImage& image) {
  for (const ElfNote& note : image.notes())
    if (note.owner == "AMDGPU" && note.type == elf::NT_AMDGPU_METADATA)
      return read_metadata(note.description);
  throw BadCodeObject("no NT_AMDGPU_METADATA note");
}

/// The GPU's name after the first four parts of "amdgcn-amd-amdhsa--gfx90a:xnack+". That it fits the number in the
/// flags, which is what a driver reads, is checked against the table of targets.
std::string processor_of(const json& metadata) {
  const std::string target = text(metadata, "amdhsa.target", "document");
  std::size_t name = 0;
  for (int part = 0; part < 4; ++part) {
    name = target.find('-', name) + 1;
    if (name == 0) throw BadCodeObject(fmt::format("metadata: amdhsa.target '{}' names no GPU", target));
  }
  return target.substr(name, target.find(':') - name);
}

/// What it exports, with its size.
std::map<std::string_view, std::uint64_t> exported(const ElfImage& image) {
  std::map<std::string_view, std::uint64_t> sizes;
  for (const ElfSymbol& symbol : image.symbols(elf::SHT_DYNSYM))
    if (symbol.is_defined) sizes.emplace(symbol.name, symbol.size);
  return sizes;
}

}  // namespace

CodeObject read_hsaco(const ElfImage& image) {
  if (image.os_abi() != elf::ELFOSABI_AMDGPU_HSA)
    throw BadCodeObject(fmt::format("ELF header: OS/ABI {} is not AMDGPU-HSA", image.os_abi()));
  // The first version that has a number in the header is 2.
  if (image.abi_version() > elf::ELFABIVERSION_AMDGPU_HSA_V6)
    throw BadCodeObject(fmt::format("ELF header: ABI version {} is none of code object versions 2 to 6",
                                    image.abi_version()));
  if (image.abi_version() == elf::ELFABIVERSION_AMDGPU_HSA_V2) return read_hsaco_v2(image);
  CodeObject object;
  object.kind = CodeKind::hsaco;
  object.code_object_version = image.abi_version() + 2;
  object.flags = image.flags();
  object.machine = object.flags & elf::EF_AMDGPU_MACH;
  const json metadata = metadata_of(image);
  if (!metadata.is_object()) throw BadCodeObject("metadata: not a map");
  object.processor =
      object.code_object_version == 3 ? processor_of_version_3(object.machine) : processor_of(metadata);
  object.target_id = object.processor + features_of(object.flags, object.code_object_version);
  const std::map<std::string_view, std::uint64_t> symbols = exported(image);
  for (const json& map : list(metadata, "amdhsa.kernels", "document")) {
    object.kernels.push_back(read_kernel(map));
    CodeKernel& kernel = object.kernels.back();
    // The runtime finds a kernel by its descriptor's symbol; metadata alone launches nothing.
    const std::string symbol = text(map, ".symbol", "kernel " + kernel.name);
    if (!symbols.contains(symbol))
      throw BadCodeObject(fmt::format("kernel {}: its symbol '{}' is not exported", kernel.name, symbol));
    if (const auto code = symbols.find(kernel.name); code != symbols.end()) kernel.code_bytes = code->second;
  }
  return object;
}

}  // namespace kernelgen::tool
