#pragma once
#include <map>
#include <string>
#include <vector>

#include "stub_gpu/stub_convolution.hpp"

namespace kernelgen::test {

/// What the stub of cuDNN was asked to do, and what it shall answer. It computes f32 and f64 on host memory, what lies
/// outside of an operand as zeros, and only notes the other types. Reached with dlsym(library, "stub_cudnn").
struct StubCudnn {
  using Tensor = StubConvolution::Tensor;
  using Convolution = StubConvolution;
  /// An engine that the library proposes.
  struct Choice {
    int engine;
    std::vector<int> notes;
    std::int64_t workspace_bytes = 0;
    int plan_status = 0, run_status = 0;
  };

  const std::uintptr_t* current_context = nullptr;  ///< the driver's, to be noted
  /// Status the function of that name returns from now on; of cudnnBackendFinalize for a kind of descriptor
  /// "cudnnBackendFinalize KIND".
  std::map<std::string, int> failures;
  /// Best first; what works always.
  std::vector<Choice> choices{{1, {}}}, fallbacks;

  std::vector<std::string> calls;
  std::vector<Convolution> convolutions;
  void* stream = nullptr;
  int objects = 0;  ///< handles and descriptors that exist
};

}  // namespace kernelgen::test
