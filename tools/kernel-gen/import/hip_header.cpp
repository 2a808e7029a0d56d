#include "import/hip_header.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json_text.hpp"

namespace kernelgen::tool {

namespace {

/// What follows the includes of the stand-in for HIP's header.
constexpr std::string_view hip_runtime_body = R"(
namespace kernelgen_import {

struct Dim {
  unsigned x, y, z;
};

/// Any pointer: what it points to is the kernel's own affair.
struct Pointer {
  const void* to;
  template <class T>
  KG_DEVICE operator T*() const {
    return (T*)to;
  }
};

#if defined(__HIP__)
KG_DEVICE Dim thread() {
  return {__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z()};
}
KG_DEVICE Dim block() {
  return {__builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z()};
}
KG_DEVICE Dim block_size() {
  return {__builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_workgroup_size_z()};
}
KG_DEVICE Dim grid_size() {
  const Dim size = block_size();
  return {__builtin_amdgcn_grid_size_x() / size.x, __builtin_amdgcn_grid_size_y() / size.y,
          __builtin_amdgcn_grid_size_z() / size.z};
}
#elif !KG_GPU
inline thread_local Dim current_thread, current_size;
KG_DEVICE Dim thread() { return current_thread; }
KG_DEVICE Dim block() {
  const unsigned* index = kg::current_block->index;
  return {index[0], index[1], index[2]};
}
KG_DEVICE Dim block_size() { return current_size; }
KG_DEVICE Dim grid_size() {
  const unsigned* grid = kg::current_block->grid;
  return {grid[0], grid[1], grid[2]};
}
#endif

/// Runs a kernel as one thread of a GPU, or on a CPU, whose block is one thread, as each of `threads` in turn.
template <unsigned threads, class Run>
KG_DEVICE void run(Run kernel) {
#if KG_GPU
  kernel();
#else
  current_size = {threads, 1, 1};
  for (unsigned i = 0; i < threads; ++i) {
    current_thread = {i, 0, 0};
    kernel();
  }
#endif
}

}  // namespace kernelgen_import

#if defined(__HIP__)
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#elif !KG_GPU
#define __device__
#define __host__
#define __constant__ static const
#define __shared__ _Pragma("GCC error \"__shared__: kernels whose threads work together run on GPUs only\"")
#endif
#if !defined(__CUDACC__) || defined(__HIP__)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define threadIdx (kernelgen_import::thread())
#define blockIdx (kernelgen_import::block())
#define blockDim (kernelgen_import::block_size())
#define gridDim (kernelgen_import::grid_size())
#endif
#ifdef KERNELGEN_IMPORT
#undef __launch_bounds__
#define __global__ __attribute__((global))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#endif

#if KG_GPU
KG_DEVICE void kernelgen_sync() { kg::sync(); }
#else
__attribute__((unavailable("kernels whose threads work together run on GPUs only"))) void kernelgen_sync();
#include <math.h>
#endif
#define __syncthreads kernelgen_sync
#if defined(__HIP__)
KG_DEVICE float expf(float x) { return kg::exp(x); }
KG_DEVICE float logf(float x) { return kg::log(x); }
KG_DEVICE float tanhf(float x) { return kg::tanh(x); }
KG_DEVICE float sqrtf(float x) { return kg::sqrt(x); }
KG_DEVICE float floorf(float x) { return kg::floor(x); }
KG_DEVICE float ceilf(float x) { return kg::ceil(x); }
KG_DEVICE float sinf(float x) { return kg::sin(x); }
KG_DEVICE float cosf(float x) { return kg::cos(x); }
KG_DEVICE float powf(float x, float e) { return kg::pow(x, e); }
KG_DEVICE float fmaf(float a, float b, float c) { return kg::fma(a, b, c); }
KG_DEVICE float fabsf(float x) { return __builtin_fabsf(x); }
KG_DEVICE float fminf(float a, float b) { return __builtin_fminf(a, b); }
KG_DEVICE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
#endif
)";

/// Around a file: its kernels are functions of the device there. What nvcc means by these words it means again after it,
/// where kernel-gen's own kernels are defined.
constexpr std::string_view begin_functions = R"(#pragma push_macro("__global__")
#pragma push_macro("__launch_bounds__")
#undef __global__
#undef __launch_bounds__
#define __global__ KG_DEVICE
#define __launch_bounds__(...)
)";
constexpr std::string_view end_functions = R"(#pragma pop_macro("__global__")
#pragma pop_macro("__launch_bounds__")
)";

std::string include_line(std::string_view header) { return fmt::format("#include \"{}\"\n", header); }

}  // namespace

std::string hip_runtime_header() {
  std::string text =
      "// Written by kernel-gen import: what kernels of HIP may use, in kernel-gen's vocabulary. Do not "
      "edit.\n"
      "#pragma once\n#include <stddef.h>\n#include <stdint.h>\n\n";
  for (const char* header : {"device/dialect.hpp", "device/math.hpp"}) text += include_line(header);
  return text.append(hip_runtime_body);
}

std::string import_header(const std::string& file, const std::vector<ImportedKernel>& kernels) {
  std::string text = fmt::format(
      "// Written by kernel-gen import from {}. Do not edit.\n#pragma once\n#include \"hip/hip_runtime.h\"\n",
      file);
  text += begin_functions;
  // A kernel of the file becomes a function with another name, which the kernel with its name calls.
  for (const ImportedKernel& kernel : kernels)
    text += fmt::format("#define {0} kernelgen_imported_{0}\n", kernel.name);
  text += include_line(file);
  for (const ImportedKernel& kernel : kernels) text += fmt::format("#undef {}\n", kernel.name);
  text += end_functions;
  text += "\nnamespace kernelgen_import {\n";
  for (const ImportedKernel& kernel : kernels) {
    std::vector<std::string> parameters, passed;
    for (const ImportedParameter& parameter : kernel.parameters) {
      const std::size_t base = parameter.type.starts_with("const ") ? 6 : 0;
      parameters.push_back(fmt::format("{}kg::{} {}", parameter.type.substr(0, base),
                                       parameter.type.substr(base), parameter.name));
      passed.push_back(parameter.pass);
    }
    text +=
        fmt::format("\nKG_DEVICE void {0}({1}) {{\n  run<{2}>([&] {{ kernelgen_imported_{0}({3}); }});\n}}\n",
                    kernel.name, fmt::join(parameters, ", "),
                    kernel.block == 0 ? imported_block : kernel.block, fmt::join(passed, ", "));
  }
  return text + "\n}  // namespace kernelgen_import\n";
}

std::string import_manifest(const std::string& module, const std::string& file,
                            const std::vector<ImportedKernel>& kernels) {
  Json manifest = {{"module", module},
                   {"doc", "Kernels of " + file + "."},
                   {"header", module + ".hpp"},
                   {"symbols", Json::array()}};
  for (const ImportedKernel& kernel : kernels) {
    std::vector<std::string> arguments, names;
    for (const ImportedParameter& parameter : kernel.parameters) {
      arguments.push_back(parameter.name + ": " + parameter.type);
      names.push_back(parameter.name);
    }
    manifest["symbols"].push_back(
        {{"name", kernel.name},
         {"args", arguments},
         {"body", fmt::format("kernelgen_import::{}({})", kernel.name, fmt::join(names, ", "))},
         {"block", kernel.block == 0 ? imported_block : kernel.block}});
  }
  return json_text(manifest);
}

}  // namespace kernelgen::tool
