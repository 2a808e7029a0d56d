#pragma once
#include <cstddef>
#include <string>

#include "compile/compiler.hpp"
#include "driver/dynamic_library.hpp"

namespace kernelgen {

// The functions that NVRTC (nvrtc.h, CUDA 11.1 and later) and hipRTC (hiprtc.h, HIP 5 and later) have alike, as
// declared there (tests/headers compares). Programs are pointers, results are ints, 0 for success.
//   X(member, NVRTC's, hipRTC's, arguments)
#define KERNELGEN_RTC_CALLS(X)                                                                      \
  X(create, nvrtcCreateProgram, hiprtcCreateProgram,                                                \
    (void** program, const char* source, const char* name, int headers, const char* const* texts,   \
     const char* const* names))                                                                     \
  X(compile, nvrtcCompileProgram, hiprtcCompileProgram,                                             \
    (void* program, int options, const char* const* texts))                                         \
  X(log_size, nvrtcGetProgramLogSize, hiprtcGetProgramLogSize, (void* program, std::size_t* bytes)) \
  X(log, nvrtcGetProgramLog, hiprtcGetProgramLog, (void* program, char* text))                      \
  X(code_size, nvrtcGetCUBINSize, hiprtcGetCodeSize, (void* program, std::size_t* bytes))           \
  X(code, nvrtcGetCUBIN, hiprtcGetCode, (void* program, char* bytes))                               \
  X(destroy, nvrtcDestroyProgram, hiprtcDestroyProgram, (void** program))

/// Of both: nvrtcResult, hiprtcResult.
constexpr int rtc_invalid_option = 5, rtc_compilation = 6;

/// An opened library that compiles at run time.
struct RtcLibrary {
  explicit RtcLibrary(DynamicLibrary library) : opened(std::move(library)) {}

  DynamicLibrary opened;
  DeviceKind kind = DeviceKind::cuda;
  const char* (*describe)(int) = nullptr;
#define KERNELGEN_MEMBER(member, nvrtc, hiprtc, arguments) int(*member) arguments = nullptr;
  KERNELGEN_RTC_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER
};

/// Throw Error(unsupported) listing every name tried, or naming the function that a library lacks.
RtcLibrary open_nvrtc();
RtcLibrary open_hiprtc();

/// NVRTC or hipRTC, which take kernels/ from memory.
class RtcCompiler final : public Compiler {
 public:
  explicit RtcCompiler(RtcLibrary library);
  CompiledCode compile(const CompileRequest& request) const override;

 private:
  class Program;

  const RtcLibrary library_;
  std::string file_;  ///< the library's
};

}  // namespace kernelgen
