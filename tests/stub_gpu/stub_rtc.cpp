// NVRTC, or with STUB_HIP hipRTC, for tests: notes what it is to compile, and gives what the test says.
#include "stub_gpu/stub_rtc.hpp"

#include <cstring>

namespace {

kernelgen::test::StubRtc stub;

int status(const char* function) {
  const auto failure = stub.failures.find(function);
  return failure == stub.failures.end() ? 0 : failure->second;
}

}  // namespace

extern "C" kernelgen::test::StubRtc* stub_rtc() { return &stub; }

#ifdef STUB_HIP
#define RTC(name) hiprtc##name
#define CODE(name) hiprtcGetCode##name
#else
#define RTC(name) nvrtc##name
#define CODE(name) nvrtcGetCUBIN##name
#endif

extern "C" const char* RTC(GetErrorString)(int) { return "a text"; }

extern "C" int RTC(CreateProgram)(void** program, const char* source, const char* name, int headers,
                                  const char* const* texts, const char* const* names) {
  if (const int failure = status("CreateProgram")) return failure;
  stub.source = source;
  stub.name = name;
  stub.headers.clear();
  for (int i = 0; i < headers; ++i) stub.headers[names[i]] = texts[i];
  ++stub.programs;
  *program = &stub;
  return 0;
}

extern "C" int RTC(DestroyProgram)(void** program) {
  if (*program != nullptr) --stub.programs;
  *program = nullptr;
  return 0;
}

extern "C" int RTC(CompileProgram)(void*, int count, const char* const* flags) {
  stub.flags.assign(flags, flags + count);
  ++stub.compiles;
  return status("CompileProgram");
}

extern "C" int RTC(GetProgramLogSize)(void*, std::size_t* bytes) {
  *bytes = stub.log.size() + 1;
  return status("GetProgramLogSize");
}

extern "C" int RTC(GetProgramLog)(void*, char* text) {
  std::memcpy(text, stub.log.c_str(), stub.log.size() + 1);
  return 0;
}

extern "C" int CODE(Size)(void*, std::size_t* bytes) {
  *bytes = stub.code.size();
  return status("CodeSize");
}

extern "C" int CODE()(void*, char* bytes) {
  std::memcpy(bytes, stub.code.data(), stub.code.size());
  return 0;
}
