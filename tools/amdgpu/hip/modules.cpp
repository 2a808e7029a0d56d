/// Code objects and launches of their kernels.
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <map>
#include <span>

#include "amdgpu/hip/gpu.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

struct Function {
  std::shared_ptr<Module> module;
  const Kernel* kernel;
};
struct LoadedModule {
  std::shared_ptr<Module> module;
  std::mutex mutex;
  std::map<std::string, Function> functions;
};

/// What a launch's `extra` begins its entries with, and ends by.
constexpr std::uintptr_t buffer_pointer = 1, buffer_bytes = 2, list_end = 3;

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

/// Whether a GPU runs what was compiled for `processor`: its own name, or the generic one of its family ("gfx9-4-generic":
/// major 9, minor 4 or later; "gfx9-generic": what has no matrix cores).
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

/// The kernel's own arguments, from one pointer each.
std::vector<std::byte> gather(const Kernel& kernel, void** parameters) {
  std::vector<std::byte> bytes(kernel.explicit_bytes);
  std::size_t i = 0;
  for (const Argument& argument : kernel.arguments)
    if (!argument.is_hidden()) std::memcpy(bytes.data() + argument.offset, parameters[i++], argument.bytes);
  return bytes;
}

std::vector<std::byte> copy_buffer(void** extra) {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  for (; reinterpret_cast<std::uintptr_t>(*extra) != list_end; extra += 2) {
    const auto kind = reinterpret_cast<std::uintptr_t>(*extra);
    if (kind == buffer_pointer)
      data = static_cast<const std::byte*>(extra[1]);
    else if (kind == buffer_bytes)
      bytes = *static_cast<const std::size_t*>(extra[1]);
    else
      throw Fault(Fault::Kind::arguments,
                  fmt::format("hipModuleLaunchKernel: extra has an entry of kind {}", kind));
  }
  return {data, data + bytes};
}

}  // namespace

KERNELGEN_HIP int hipModuleLoadData(void** module, const void* image) {
  *module = nullptr;
  return with_gpu([&](Gpu& gpu) {
    const auto* const bytes = static_cast<const std::byte*>(image);
    auto loaded = std::make_unique<LoadedModule>();
    loaded->module = gpu.simulator.load({bytes, image_bytes(bytes)});
    if (!runs(gpu.simulator.isa(), loaded->module->object().processor())) return hipErrorNoBinaryForGpu;
    *module = loaded.release();
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipModuleUnload(void* module) {
  delete static_cast<LoadedModule*>(module);
  return hipSuccess;
}

KERNELGEN_HIP int hipModuleGetFunction(void** function, void* module, const char* name) {
  auto& from = *static_cast<LoadedModule*>(module);
  const auto& kernels = from.module->object().kernels();
  const auto kernel = kernels.find(name);
  *function = nullptr;
  if (kernel == kernels.end()) return hipErrorNotFound;
  const std::lock_guard lock(from.mutex);
  *function = &from.functions.try_emplace(name, Function{from.module, &kernel->second}).first->second;
  return hipSuccess;
}

KERNELGEN_HIP int hipModuleGetGlobal(void** address, std::size_t* bytes, void* module, const char* name) {
  const auto& variables = static_cast<LoadedModule*>(module)->module->object().variables();
  const auto found = variables.find(name);
  if (found == variables.end()) return hipErrorNotFound;
  *address = reinterpret_cast<void*>(found->second.address);
  *bytes = found->second.bytes;
  return hipSuccess;
}

KERNELGEN_HIP int hipModuleLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                        unsigned block_x, unsigned block_y, unsigned block_z,
                                        unsigned shared_bytes, void* stream, void** parameters,
                                        void** extra) {
  if (function == nullptr) return hipErrorInvalidDeviceFunction;
  return with_gpu([&](Gpu&) {
    const Function& called = *static_cast<const Function*>(function);
    std::vector<std::byte> arguments;
    if (extra != nullptr)
      arguments = copy_buffer(extra);
    else if (parameters != nullptr)
      arguments = gather(*called.kernel, parameters);
    const Extent grid{grid_x, grid_y, grid_z}, block{block_x, block_y, block_z};
    return do_in(stream, called.kernel->name, [=](Gpu& gpu) {
      gpu.simulator.launch(*called.module, called.kernel->name, grid, block, shared_bytes, arguments);
      return hipSuccess;
    });
  });
}

}  // namespace kernelgen::amdgpu::hip
