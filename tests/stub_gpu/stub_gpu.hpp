#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kernelgen::test {

/// What the stub drivers were asked to do, and what they shall answer. A stub keeps device memory in host
/// memory, runs no kernel and is thread-safe but for launches and captures; the test reaches its state with
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

  /// Work that was captured.
  struct Graph {
    struct Node {
      std::string what;  ///< the function, and for a launch the kernel
      std::function<void(void* stream)> run;
    };
    std::vector<Node> nodes;
    bool is_spoilt = false;  ///< something was called that may not be
  };

  int devices = 2;
  int compute_units = 104;
  std::string architecture = "gfx90a:sramecc+:xnack-";  ///< HIP
  std::vector<std::string> architectures;               ///< HIP: of each device, where they differ
  int hip_version = 0;         ///< 100 · major + minor; 0: 5.2, or 6.4 of the stub with the newer properties
  bool kernels_wait = false;   ///< CUDA: by themselves for the work before them
  int capability = 90;         ///< CUDA
  int driver_version = 13000;  ///< CUDA, when the library is opened
  bool pools = true;
  bool is_capturing = false;  ///< every stream
  /// Milliseconds reported for the next pairs of events; 1.5 after the last.
  std::vector<float> milliseconds;
  /// Status the function of that name returns from now on.
  std::map<std::string, int> failures;
  /// The call that fails with `fault`, counted from 1 and from the last change on; 0: none.
  long fault_at = 0;
  int fault = 1;
  std::string faulty;  ///< the call that did

  /// Streams that are being captured.
  std::map<void*, Graph> captures;
  /// What was called in vain while a stream was captured, and what would have become a node that no graph should have.
  std::vector<std::string> violations;
  int capture_mode = -1;        ///< of the last capture
  int thread_mode = 0;          ///< of all threads: global
  std::vector<int> load_modes;  ///< the thread's at each load of a module
  int contexts = 0;             ///< CUDA: of devices that are retained
  /// Graphs, executables, streams, events, modules and memory that are there.
  std::set<void*> handles;

  std::map<void*, int> priorities;  ///< of streams that were made with one
  std::map<void*, void*> recorded;  ///< events, and the stream that each was recorded in last
  /// Streams that were told to wait, and those whose events they wait for.
  std::vector<std::pair<void*, void*>> waits;
  std::vector<void*> frees;  ///< the streams that memory was freed in
  bool events_are_reached = true;
  bool peers_are_reachable = true;
  std::array<int, 3> pool_access{};  ///< kind and number of the device, and what it may do

  std::uintptr_t current = 0;
  std::vector<std::string> calls;
  std::vector<Launch> launches;
  std::uint64_t pool_threshold = 0;
  std::size_t trimmed_to = ~std::size_t{0};
  bool fails_until_trimmed = false;  ///< the failures end when the pool gives its memory up
  /// CUDA: offset and bytes of each parameter of any function.
  std::vector<std::pair<std::size_t, std::size_t>> parameters;
  std::string last_image;  ///< CUDA: the text of the last module, when it was text
};

}  // namespace kernelgen::test
