// Modules of a stub driver, their functions, and launches of these, which are noted and not done.
#include <cstring>
#include <map>
#include <string_view>
#include <tuple>

#include "stub_gpu/stub_calls.hpp"

namespace kernelgen::test::stub_driver {

namespace {

#ifdef STUB_CUDA
constexpr std::uintptr_t end_marker = 0;
#else
constexpr std::uintptr_t end_marker = 3;
constexpr int status_invalid_image = 200;

bool is_elf(const void* image) {
  return std::memcmp(image,
                     "\x7f"
                     "ELF",
                     4) == 0;
}
#endif
constexpr int status_not_found = 500;

bool is_early = false;  ///< the launch that is under way

struct Function {
  std::string name;
  unsigned most_shared_bytes = 48 * 1024;  ///< CUDA: dynamic ones
};

}  // namespace

STUB(hipModuleUnload, cuModuleUnload)(void* module) { return drop_handle(__func__, module); }

STUB(hipModuleGetFunction, cuModuleGetFunction)(void** function, void* module, const char* name) {
  if (const int status = enter(__func__)) return status;
#ifdef STUB_CUDA
  (void)module;
#else
  // HIP reads a module's code when it is first asked for a function of it.
  if (!is_elf(*static_cast<const void**>(module))) return status_invalid_image;
#endif
  if (std::strncmp(name, "missing", 7) == 0) return status_not_found;
  // Handles live as long as the process, as those of a module that is never unloaded.
  static std::map<std::string, Function> functions;
  *function = &functions.try_emplace(name, Function{name}).first->second;
  return 0;
}

STUB(hipModuleLaunchKernel, cuLaunchKernel)
(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
 unsigned block_z, unsigned shared_bytes, void* stream, void**, void** extra) {
  if (const int status = enter(__func__)) return status;
  StubGpu::Launch launch;
  launch.function = static_cast<Function*>(function)->name;
  launch.grid = {grid_x, grid_y, grid_z};
  launch.block = {block_x, block_y, block_z};
  launch.shared_bytes = shared_bytes;
#ifdef STUB_CUDA
  if (shared_bytes > static_cast<Function*>(function)->most_shared_bytes) return 1;
#endif
  launch.stream = stream;
  launch.current = stub.current;
  launch.is_early = is_early;
  if (extra != nullptr) {
    const auto* arguments = static_cast<const std::byte*>(extra[1]);
    const std::size_t bytes = *static_cast<const std::size_t*>(extra[3]);
    launch.arguments.assign(arguments, arguments + bytes);
    launch.end_marker = reinterpret_cast<std::uintptr_t>(extra[4]);
    if (launch.end_marker != end_marker) return 1;
  }
  return do_in(stream, launch.function, [launch](void* where) {
    stub.launches.push_back(launch);
    stub.launches.back().stream = where;
  });
}

#ifdef STUB_CUDA

extern "C" int cuFuncSetAttribute(void* function, int attribute, int value) {
  if (attribute == 8) static_cast<Function*>(function)->most_shared_bytes = static_cast<unsigned>(value);
  return enter(__func__);
}

extern "C" int cuFuncGetParamInfo(void*, std::size_t place, std::size_t* offset, std::size_t* bytes) {
  if (place >= stub.parameters.size()) return 1;
  std::tie(*offset, *bytes) = stub.parameters[place];
  return 0;
}

extern "C" int cuModuleGetGlobal_v2(void**, std::size_t*, void*, const char* name) {
  return stub.kernels_wait && std::string_view(name) == "kg_awaits_earlier_work" ? 0 : 500;
}

// CUlaunchConfig as cuda.h of CUDA 11.8 has it, with the one attribute that launches have here.
extern "C" int cuLaunchKernelEx(const void* config, void* function, void** parameters, void** extra) {
  struct Config {
    unsigned grid[3], block[3], shared_bytes;
    void* stream;
    const int* attribute;
    unsigned attribute_count;
  };
  Config given;
  std::memcpy(&given, config, sizeof given);
  constexpr int programmatic_stream_serialization = 6;
  if (given.attribute_count != 1 || given.attribute[0] != programmatic_stream_serialization ||
      given.attribute[2] != 1)
    return 1;
  is_early = true;
  const int status =
      cuLaunchKernel(function, given.grid[0], given.grid[1], given.grid[2], given.block[0], given.block[1],
                     given.block[2], given.shared_bytes, given.stream, parameters, extra);
  is_early = false;
  return status;
}

extern "C" int cuModuleLoadDataEx(void** module, const void* image, unsigned, int*, void** values) {
  if (const int status = enter(__func__)) {
    std::strcpy(static_cast<char*>(values[0]), "ptxas says no");
    return status;
  }
  const auto* text = static_cast<const char*>(image);
  stub.last_image = std::strncmp(text, ".version", 8) == 0 ? text : "";
  stub.load_modes.push_back(stub.thread_mode);
  *module = new_handle();
  return 0;
}

#else

/// Refuses code objects that are newer than the version reads.
extern "C" int hipModuleLoadData(void** module, const void* image) {
  if (const int status = enter(__func__)) return status;
  if (!is_elf(image)) return status_invalid_image;
  constexpr int status_no_binary_for_gpu = 209, status_shared_object_init_failed = 303;
  const int newest_abi = hip_version() < 503 ? 2 : hip_version() < 603 ? 3 : 4;
  if (static_cast<const unsigned char*>(image)[8] > newest_abi)
    return hip_version() < 602 ? status_shared_object_init_failed : status_no_binary_for_gpu;
  stub.load_modes.push_back(stub.thread_mode);
  *module = new_handle(sizeof image);
  std::memcpy(*module, &image, sizeof image);
  return 0;
}

#endif

}  // namespace kernelgen::test::stub_driver
