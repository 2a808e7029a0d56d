/// Code objects and launches of their kernels.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "amdgpu/hip/code_bundle.hpp"
#include "amdgpu/hip/function.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

struct LoadedModule {
  std::shared_ptr<Module> module;
  std::mutex mutex;
  std::map<std::string, Function> functions;
};

/// What a launch's `extra` begins its entries with, and ends by.
constexpr std::uintptr_t buffer_pointer = 1, buffer_bytes = 2, list_end = 3;

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
    const std::vector<std::byte> code = code_for(gpu.simulator.isa(), image);
    if (code.empty()) return hipErrorNoBinaryForGpu;
    auto loaded = std::make_unique<LoadedModule>();
    loaded->module = gpu.simulator.load(code);
    if (!runs(gpu.simulator.isa(), loaded->module->object().processor())) return hipErrorNoBinaryForGpu;
    *module = loaded.release();
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipModuleLoadDataEx(void** module, const void* image, unsigned, void*, void**) {
  return hipModuleLoadData(module, image);
}

KERNELGEN_HIP int hipModuleLoad(void** module, const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return hipErrorFileNotFound;
  const std::string image{std::istreambuf_iterator<char>(file), {}};
  return hipModuleLoadData(module, image.data());
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
    if (extra != nullptr) {
      arguments = copy_buffer(extra);
      // As HIP does, ignores what a caller's buffer has after the kernel's arguments: Tensile pads it.
      if (arguments.size() > called.kernel->kernarg_bytes) arguments.resize(called.kernel->kernarg_bytes);
    } else if (parameters != nullptr)
      arguments = gather(*called.kernel, parameters);
    return launch(called, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, stream,
                  std::move(arguments));
  });
}

/// The grid is in work-items.
KERNELGEN_HIP int hipExtModuleLaunchKernel(void* function, unsigned items_x, unsigned items_y,
                                           unsigned items_z, unsigned block_x, unsigned block_y,
                                           unsigned block_z, std::size_t shared_bytes, void* stream,
                                           void** parameters, void** extra, void* start, void* stop,
                                           unsigned) {
  if (block_x == 0 || block_y == 0 || block_z == 0 || items_x % block_x != 0 || items_y % block_y != 0 ||
      items_z % block_z != 0)
    return hipErrorInvalidValue;
  return between_events(start, stop, stream, [&] {
    return hipModuleLaunchKernel(function, items_x / block_x, items_y / block_y, items_z / block_z, block_x,
                                 block_y, block_z, static_cast<unsigned>(shared_bytes), stream, parameters,
                                 extra);
  });
}

}  // namespace kernelgen::amdgpu::hip
