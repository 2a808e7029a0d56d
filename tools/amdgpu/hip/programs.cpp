/// What clang makes of HIP's language: fat binaries that register themselves, kernels called with <<<>>>, symbols.
#include <fmt/format.h>

#include <cstring>
#include <list>
#include <map>
#include <utility>
#include <vector>

#include "amdgpu/hip/code_bundle.hpp"
#include "amdgpu/hip/function.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

/// dim3 and uint3.
struct Dim3 {
  unsigned x, y, z;
};
Extent extent(Dim3 d) { return {d.x, d.y, d.z}; }

/// __CudaFatBinaryWrapper of clang's CGCUDANV.cpp.
struct FatBinaryWrapper {
  std::uint32_t magic, version;
  const void* bundle;
  void* unused;
};

/// A variable that host and devices share: the host has its bytes, each code object a pointer to them.
struct ManagedVariable {
  std::string name;
  std::vector<std::byte> bytes;
};

/// A program's code objects; loaded on a device when something of them is first used there.
struct FatBinary {
  const void* bundle;
  std::list<ManagedVariable> managed{};
  std::map<Gpu*, std::shared_ptr<Module>> modules{};

  ~FatBinary() {
    for (const auto& [gpu, module] : modules)
      for (const ManagedVariable& variable : managed) gpu->simulator.memory().remove(variable.bytes.data());
  }

  std::shared_ptr<Module> on(Gpu& gpu) {
    if (const auto known = modules.find(&gpu); known != modules.end()) return known->second;
    const std::vector<std::byte> code = code_for(gpu.simulator.isa(), bundle);
    if (code.empty()) return nullptr;
    const std::shared_ptr<Module> module = gpu.simulator.load(code);
    for (const ManagedVariable& variable : managed) {
      const void* const at = variable.bytes.data();
      gpu.simulator.memory().add(at, variable.bytes.size(), variable.name);
      const auto pointer = module->object().variables().find(variable.name);
      if (pointer != module->object().variables().end() && pointer->second.bytes == sizeof at)
        std::memcpy(reinterpret_cast<void*>(pointer->second.address), &at, sizeof at);
    }
    return modules[&gpu] = module;
  }
};

/// A kernel or variable of the device, found by the address that the host has for it.
struct Registered {
  FatBinary* binary;
  std::string name;
};

struct Programs {
  std::mutex mutex;
  std::map<const void*, Registered> kernels, variables;
};
/// Never destroyed: programs unregister at their exit.
Programs& programs() {
  static Programs& instance = *new Programs;
  return instance;
}

struct Configuration {
  Dim3 grid, block;
  std::size_t shared_bytes;
  void* stream;
};
thread_local std::vector<Configuration> configurations;

/// Where a variable is on the current device.
template <class Use>
int with_variable(const void* host, Use use) {
  return with_gpu([&](Gpu& gpu) {
    Programs& known = programs();
    const std::lock_guard lock(known.mutex);
    const auto found = known.variables.find(host);
    if (found == known.variables.end()) return static_cast<int>(hipErrorInvalidSymbol);
    const std::shared_ptr<Module> module = found->second.binary->on(gpu);
    if (module == nullptr) return static_cast<int>(hipErrorNoBinaryForGpu);
    const auto symbol = module->object().variables().find(found->second.name);
    if (symbol == module->object().variables().end()) return static_cast<int>(hipErrorInvalidSymbol);
    return static_cast<int>(use(reinterpret_cast<std::byte*>(symbol->second.address), symbol->second.bytes));
  });
}

}  // namespace

int with_kernel(const void* host, const std::function<int(Gpu&, const Function&)>& use) {
  return with_gpu([&](Gpu& gpu) {
    Function function;
    {
      Programs& known = programs();
      const std::lock_guard lock(known.mutex);
      const auto found = known.kernels.find(host);
      if (found == known.kernels.end()) return static_cast<int>(hipErrorInvalidDeviceFunction);
      function.module = found->second.binary->on(gpu);
      if (function.module == nullptr) return static_cast<int>(hipErrorNoBinaryForGpu);
      function.kernel = &function.module->kernel(found->second.name);
    }
    return use(gpu, function);
  });
}

KERNELGEN_HIP void** __hipRegisterFatBinary(const void* wrapper) {
  return reinterpret_cast<void**>(new FatBinary{static_cast<const FatBinaryWrapper*>(wrapper)->bundle});
}

KERNELGEN_HIP void __hipRegisterFunction(void** binary, const void* host, char*, const char* name, unsigned,
                                         void*, void*, void*, void*, int*) {
  const std::lock_guard lock(programs().mutex);
  programs().kernels[host] = {reinterpret_cast<FatBinary*>(binary), name};
}

KERNELGEN_HIP void __hipRegisterVar(void** binary, void* host, char*, const char* name, int, std::size_t, int,
                                    int) {
  const std::lock_guard lock(programs().mutex);
  programs().variables[host] = {reinterpret_cast<FatBinary*>(binary), name};
}

/// `pointer` is what the host code takes for the variable's address.
KERNELGEN_HIP void __hipRegisterManagedVar(void** binary, void** pointer, void* initial, const char* name,
                                           std::size_t bytes, unsigned) {
  const std::lock_guard lock(programs().mutex);
  const auto* const from = static_cast<const std::byte*>(initial);
  ManagedVariable& variable =
      reinterpret_cast<FatBinary*>(binary)->managed.emplace_back(name, std::vector(from, from + bytes));
  *pointer = variable.bytes.data();
}

KERNELGEN_HIP void __hipUnregisterFatBinary(void** binary) {
  auto* const old = reinterpret_cast<FatBinary*>(binary);
  Programs& known = programs();
  const std::lock_guard lock(known.mutex);
  const auto is_of_it = [&](const auto& entry) { return entry.second.binary == old; };
  std::erase_if(known.kernels, is_of_it);
  std::erase_if(known.variables, is_of_it);
  delete old;
}

KERNELGEN_HIP int __hipPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared_bytes, void* stream) {
  configurations.push_back({grid, block, shared_bytes, stream});
  return hipSuccess;
}

KERNELGEN_HIP int __hipPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared_bytes,
                                            void** stream) {
  if (configurations.empty()) return hipErrorInvalidValue;
  const Configuration top = configurations.back();
  configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared_bytes = top.shared_bytes;
  *stream = top.stream;
  return hipSuccess;
}

KERNELGEN_HIP int hipLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** parameters,
                                  std::size_t shared_bytes, void* stream) {
  return with_kernel(function, [&](Gpu&, const Function& called) {
    return launch(called, extent(grid), extent(block), static_cast<std::uint32_t>(shared_bytes), stream,
                  gather(*called.kernel, parameters));
  });
}

/// Blocks are executed one after the other, so that they cannot wait for each other.
KERNELGEN_HIP int hipLaunchCooperativeKernel(const void*, Dim3, Dim3, void**, unsigned, void*) {
  return hipErrorNotSupported;
}

/// With events around it.
KERNELGEN_HIP int hipExtLaunchKernel(const void* function, Dim3 grid, Dim3 block, void** parameters,
                                     std::size_t shared_bytes, void* stream, void* start, void* stop, int) {
  return between_events(start, stop, stream, [&] {
    return hipLaunchKernel(function, grid, block, parameters, shared_bytes, stream);
  });
}

KERNELGEN_HIP int hipGetSymbolAddress(void** address, const void* symbol) {
  return with_variable(symbol, [&](std::byte* at, std::size_t) {
    *address = at;
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return with_variable(symbol, [&](std::byte*, std::size_t size) {
    *bytes = size;
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, int) {
  return with_variable(symbol, [&](std::byte* at, std::size_t size) {
    if (offset > size || bytes > size - offset) return hipErrorInvalidValue;
    std::copy_n(static_cast<const std::byte*>(from), bytes, at + offset);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      int) {
  return with_variable(symbol, [&](const std::byte* at, std::size_t size) {
    if (offset > size || bytes > size - offset) return hipErrorInvalidValue;
    std::copy_n(at + offset, bytes, static_cast<std::byte*>(to));
    return hipSuccess;
  });
}

}  // namespace kernelgen::amdgpu::hip
