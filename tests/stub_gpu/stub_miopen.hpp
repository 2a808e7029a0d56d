#pragma once
#include <map>
#include <string>
#include <vector>

#include "stub_gpu/stub_convolution.hpp"

namespace kernelgen::test {

/// What the stub of MIOpen was asked to do, and what it shall answer. It computes f32 on host memory, what is outside of an
/// operand as zeros, and only notes the other types. Reached with dlsym(library, "stub_miopen").
struct StubMiopen {
  /// A solution that the library proposes.
  struct Choice {
    std::uint64_t id;
    int algorithm = 1;  // direct
    std::size_t workspace_bytes = 0;
    int compile_status = 0, run_status = 0;
  };
  using Convolution = StubConvolution;

  const std::uintptr_t* current_context = nullptr;  ///< the driver's, to be noted
  /// Status the function of that name returns from now on.
  std::map<std::string, int> failures;
  std::vector<Choice> choices{{1}};  ///< best first
  bool knows_deterministic = true;   ///< false: as in ROCm 5.2

  std::vector<std::string> calls;
  std::vector<Convolution> convolutions;
  std::vector<std::uint64_t> compiled;
  std::map<int, int> attributes;  ///< of the last descriptor of a convolution
  void* stream = nullptr;
  int objects = 0;  ///< handles and descriptors that exist
};

}  // namespace kernelgen::test
