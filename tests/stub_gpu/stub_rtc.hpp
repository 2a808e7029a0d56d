#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace kernelgen::test {

/// What the stubs of NVRTC and hipRTC were asked to compile, and what they shall answer; stub_state(library, "stub_rtc").
struct StubRtc {
  std::string source, name;
  std::vector<std::string> flags;
  std::map<std::string, std::string> headers;
  int compiles = 0;
  int programs = 0;  ///< that are there
  std::string log;
  std::vector<std::byte> code;  ///< what sources become
  /// Status the function of that name returns, without "nvrtc" or "hiprtc".
  std::map<std::string, int> failures;
};

}  // namespace kernelgen::test
