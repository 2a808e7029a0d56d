#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelgen::test {

/// What the stub of cuDNN was asked to do, and what it shall answer. It computes f32 and f64 on host memory, padding
/// as zeros, and only notes the other types. Reached with dlsym(library, "stub_cudnn").
struct StubCudnn {
  struct Tensor {
    int type = -1;
    std::array<int, 4> shape{}, strides{};
  };
  struct Filter {
    int type = -1, format = -1;
    std::array<int, 4> shape{};
  };
  struct Description {
    std::array<int, 2> padding{}, stride{}, dilation{};
    int mode = -1, compute = -1, groups = 1, math = 0;
  };
  struct Convolution {
    Tensor x, y;
    Filter filter;
    Description description;
    int algorithm = -1;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    void* stream = nullptr;
    std::uintptr_t context = 0;
  };
  /// What the library says of an algorithm, best first.
  struct Choice {
    int algorithm, status, math;
    std::size_t workspace_bytes;
  };

  const std::uintptr_t* current_context = nullptr;  ///< the driver's, to be noted
  /// Status the function of that name returns from now on.
  std::map<std::string, int> failures;
  std::vector<Choice> choices{{1, 0, 0, 0}};

  std::vector<std::string> calls;
  std::vector<Convolution> convolutions;
  void* stream = nullptr;
  int objects = 0;  ///< handles and descriptors that exist
};

}  // namespace kernelgen::test
