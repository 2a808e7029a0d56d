#pragma once
#include <map>
#include <string>
#include <vector>

namespace kernelgen::test {

/// What the stub of NCCL was asked, and what it shall answer; stub_state(library, "stub_nccl") reaches it.
struct StubNccl {
  std::vector<std::string> calls;
  /// Status the function of that name returns from now on.
  std::map<std::string, int> failures;
  int communicators = 0;       ///< that are there
  std::vector<void*> streams;  ///< of the calls
};

}  // namespace kernelgen::test
