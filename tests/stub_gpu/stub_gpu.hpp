#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelgen::test {

/// What the stub drivers were asked to do, and what they shall answer. A stub keeps device memory in host
/// memory, runs no kernel and is not thread-safe; the test reaches its state with
/// stub_state(library, "stub_gpu").
struct StubGpu {
  struct Launch {
    std::string function;
    std::vector<std::uint32_t> grid;
    std::vector<std::uint32_t> block;
    std::uint32_t shared_bytes = 0;
    void* stream = nullptr;
    std::vector<std::byte> arguments;
    std::uintptr_t end_marker = 0;
    std::uintptr_t current = 0;  ///< device (HIP) or context (CUDA) that was current
    bool is_early = false;       ///< CUDA: may begin before the launch before it has ended
  };

  int devices = 2;
  std::string architecture = "gfx90a:sramecc+:xnack-";  ///< HIP
  bool kernels_wait = false;                            ///< CUDA: by themselves for the work before them
  int capability = 90;                                  ///< CUDA
  bool pools = true;
  bool is_capturing = false;  ///< every stream
  /// What is said to lie between the next pairs of events; 1.5 behind the last.
  std::vector<float> milliseconds;
  /// Status the function of that name returns from now on.
  std::map<std::string, int> failures;

  std::uintptr_t current = 0;
  std::vector<std::string> calls;
  std::vector<Launch> launches;
  std::uint64_t pool_threshold = 0;
  std::string last_image;  ///< CUDA: the text of the last module, when it was text
};

}  // namespace kernelgen::test
