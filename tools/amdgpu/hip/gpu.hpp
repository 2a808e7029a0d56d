#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "amdgpu/hip/launch_log.hpp"
#include "amdgpu/hip/status.hpp"
#include "amdgpu/simulator.hpp"

/// A function that programs call.
#define KERNELGEN_HIP extern "C" __attribute__((visibility("default")))

namespace kernelgen::amdgpu::hip {

/// A device of the stand-in. Streams do their work before a call returns, so that nothing waits for anything.
struct Gpu {
  explicit Gpu(const std::string& processor);

  Simulator simulator;
  std::string name;
  std::uint64_t total_bytes;
  int compute_units;
  std::atomic<std::uint64_t> used_bytes = 0;
  LaunchLog log;

  int wave_size() const { return simulator.isa().major == 9 ? 64 : 32; }
  /// That a block may have.
  std::uint32_t block_lds_bytes() const { return simulator.isa().lds_banks() == 64 ? 160 * 1024 : 64 * 1024; }
};

/// How many devices there are: those that KERNELGEN_SIMULATED_GPU lists, and what was added. Throws Fault.
int gpu_count();
/// Throws Fault: that is the ordinal of no device.
Gpu& gpu_at(int ordinal);
/// The ordinal of the device with that processor, which is added if it is new. Throws Fault: LLVM does not know it.
int gpu_of(const std::string& processor);
/// The ordinal of the calling thread's device.
int& current_ordinal();
int ordinal_of(const Gpu& gpu);
/// The device whose memory holds the address, or null.
Gpu* owner_of(const void* address);

/// Work that was captured, in its order, which is one of those that the graph permits.
struct Graph {
  struct Node {
    std::string what;  ///< two nodes may take each other's place where this is the same
    std::function<int(Gpu&)> run;
  };
  std::vector<Node> nodes;
  std::mutex mutex;
  bool is_spoilt = false;
};

struct Stream {
  int ordinal = -1;                ///< of its device; -1: the calling thread's
  std::shared_ptr<Graph> capture;  ///< null where the stream is not captured
};

/// Null is the default stream, as 1 and 2 are.
Stream& stream_of(void* handle);

/// Runs `call(gpu)` on the calling thread's device, or on that of an ordinal, and turns what it throws into a status; a
/// report of what a kernel did wrong goes to stderr, or as a line of JSON to the end of the file that
/// KERNELGEN_SIMULATED_REPORT names. What is not success is what hipGetLastError gives next. KERNELGEN_SIMULATED_CHECK=1 checks
/// launches: docs/simulator.md.
int with_gpu(const std::function<int(Gpu&)>& call);
int with_gpu(int ordinal, const std::function<int(Gpu&)>& call);

/// The status since the last call, which starts anew from hipSuccess if `clear`.
int last_error(bool clear);

/// Runs work of a stream, or keeps it for the graph that captures the stream.
int do_in(void* stream, std::string what, const std::function<int(Gpu&)>& work);

/// For what cannot be part of a graph: hipErrorStreamCaptureUnsupported while the stream is captured, and the graph is
/// lost; else hipSuccess.
int refuse_in_capture(void* stream);

}  // namespace kernelgen::amdgpu::hip
