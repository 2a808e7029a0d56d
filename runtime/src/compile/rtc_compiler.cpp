#include "compile/rtc_compiler.hpp"

#include <dlfcn.h>

#include <utility>

#include "common/format.hpp"
#include "compile/kernel_headers.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr const char* nvrtc_names[] = {"libnvrtc.so.13",   "libnvrtc.so.12",
                                       "libnvrtc.so.11.2", "libnvrtc.so.11.1",
                                       "libnvrtc.so",      "/usr/local/cuda/lib64/libnvrtc.so"};
// Where it is not a separate library, the driver's library has its functions.
constexpr const char* hiprtc_names[] = {
    "libhiprtc.so.7",   "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so", "/opt/rocm/lib/libhiprtc.so",
    "libamdhip64.so.5", "libamdhip64.so"};

RtcLibrary open(DynamicLibrary opened, DeviceKind kind) {
  RtcLibrary library(std::move(opened));
  library.kind = kind;
  const bool hip = kind == DeviceKind::hip;
  const auto required = [&](const char* nvrtc, const char* hiprtc) {
    const char* const name = hip ? hiprtc : nvrtc;
    if (void* symbol = library.opened.symbol(name)) return symbol;
    throw Error(
        Code::unsupported,
        formatted("{} has no function {}: it is older than this runtime can use (HIP 5 or CUDA 11.1 is "
                  "needed)",
                  library.opened.path(), name));
  };
#define KERNELGEN_LOAD(member, nvrtc, hiprtc, arguments) \
  library.member = reinterpret_cast<int(*) arguments>(required(#nvrtc, #hiprtc));
  KERNELGEN_RTC_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
  library.describe =
      reinterpret_cast<const char* (*)(int)>(required("nvrtcGetErrorString", "hiprtcGetErrorString"));
  return library;
}

}  // namespace

RtcLibrary open_nvrtc() {
  return open(DynamicLibrary("NVRTC library", "KERNELGEN_NVRTC_LIBRARY", nvrtc_names), DeviceKind::cuda);
}

RtcLibrary open_hiprtc() {
  return open(DynamicLibrary("hipRTC library", "KERNELGEN_HIPRTC_LIBRARY", hiprtc_names), DeviceKind::hip);
}

/// A program of the library's, and what became of it.
class RtcCompiler::Program {
 public:
  Program(const RtcLibrary& library, const CompileRequest& request) : library_(library), request_(request) {
    std::vector<const char*> texts, names;
    for (const auto& [name, text] : kernel_headers()) {
      texts.push_back(text.data());
      names.push_back(name);
    }
    check(library_.create(&program_, std::string(request.source).c_str(), std::string(request.name).c_str(),
                          static_cast<int>(names.size()), texts.data(), names.data()));
  }
  ~Program() { library_.destroy(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void compile(const std::vector<std::string>& flags) {
    std::vector<const char*> texts;
    for (const std::string& flag : flags) texts.push_back(flag.c_str());
    const int status = library_.compile(program_, static_cast<int>(texts.size()), texts.data());
    if (status == rtc_compilation || status == rtc_invalid_option)
      throw Error(Code::invalid_argument,
                  formatted("{}{} says\n{}", compile_of(request_), library_.opened.path(), log()));
    check(status);
  }

  std::string log() const {
    std::size_t bytes = 0;
    check(library_.log_size(program_, &bytes));
    std::string text(bytes, '\0');
    if (bytes != 0) check(library_.log(program_, text.data()));
    return text.c_str();  // up to its zero
  }

  std::vector<std::byte> code() const {
    std::size_t bytes = 0;
    check(library_.code_size(program_, &bytes));
    std::vector<std::byte> made(bytes);
    check(library_.code(program_, reinterpret_cast<char*>(made.data())));
    return made;
  }

 private:
  void check(int status) const {
    if (status != 0)
      throw Error(Code::unsupported, formatted("{}{}: error {}, {}", compile_of(request_),
                                               library_.opened.path(), status, library_.describe(status)));
  }

  const RtcLibrary& library_;
  const CompileRequest& request_;
  void* program_ = nullptr;
};

RtcCompiler::RtcCompiler(RtcLibrary library) : library_(std::move(library)) {
  Dl_info where{};
  if (::dladdr(reinterpret_cast<void*>(library_.create), &where) != 0) file_ = where.dli_fname;
}

CompiledCode RtcCompiler::compile(const CompileRequest& request) const {
  Program program(library_, request);
  program.compile(flags_of(request));
  return {program.code(), program.log(), file_};
}

}  // namespace kernelgen
