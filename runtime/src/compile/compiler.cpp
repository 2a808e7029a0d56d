#include "compile/compiler.hpp"

#include "common/format.hpp"
#include "compile/clang_compiler.hpp"
#include "compile/rtc_compiler.hpp"
#include "source/compile_flags.hpp"

namespace kernelgen {

const Compiler& compiler_for(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::hip: {
      static const RtcCompiler& compiler = *new RtcCompiler(open_hiprtc());
      return compiler;
    }
    case DeviceKind::cuda: {
      static const RtcCompiler& compiler = *new RtcCompiler(open_nvrtc());
      return compiler;
    }
    default: {
      static const ClangCompiler& compiler = *new ClangCompiler;
      return compiler;
    }
  }
}

std::vector<std::string> flags_of(const CompileRequest& request) {
  std::vector<std::string> flags;
  const auto add = [&](const auto& more) { flags.insert(flags.end(), std::begin(more), std::end(more)); };
  switch (request.kind) {
    case DeviceKind::cuda:
      flags = {formatted("--gpu-architecture={}", request.architecture), cuda_standard, cuda_rounding,
               // Shared headers have no __host__ or __device__ markers.
               "--device-as-default-execution-space"};
      break;
    case DeviceKind::hip:
      flags = {formatted("--offload-arch={}", request.architecture)};
      add(clang_flags);
      add(hip_flags(request.wave_size));
      break;
    default:
      add(clang_flags);
      add(cpu_flags(request.architecture));
      add(cpu_link_flags());
  }
  add(request.flags);
  return flags;
}

std::string compile_of(const CompileRequest& request) {
  return formatted("cannot compile {} for {}: ", request.name, request.architecture);
}

}  // namespace kernelgen
