#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelgen::test {

/// What the stub of cuDNN was asked to do, and what it shall answer. It computes f32 and f64 on host memory, what lies
/// outside of an operand as zeros, and only notes the other types. Reached with dlsym(library, "stub_cudnn").
struct StubCudnn {
  struct Tensor {
    int type = -1;
    std::int64_t alignment = 0;
    std::array<std::int64_t, 4> shape{}, strides{};
  };
  /// As the library sees it. Of one by data, x is the derivative that comes out, y the one that goes in.
  struct Convolution {
    bool by_data = false;
    Tensor x, y, filter;
    std::array<std::int64_t, 2> padding{}, stride{}, dilation{};
    int mode = -1, compute = -1;
    int engine = -1;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    void* stream = nullptr;
    std::uintptr_t context = 0;
  };
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
