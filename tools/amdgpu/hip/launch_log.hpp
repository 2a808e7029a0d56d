#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "amdgpu/simulator.hpp"

namespace kernelgen::amdgpu::hip {

/// What a device executed, launch by launch, while it is recorded. Any thread may call it.
class LaunchLog {
 public:
  /// Forgets what was recorded; from here on launches are recorded or not.
  void record(bool on);
  bool is_on() const;
  void add(std::string launch);
  /// A JSON array with an object for each launch.
  std::string json() const;

 private:
  mutable std::mutex mutex_;
  bool on_ = false;
  std::vector<std::string> launches_;  ///< JSON objects
};

/// What a launch executed, as JSON in a line; docs/simulator.md has the names.
std::string launch_json(const std::string& gpu, const Kernel& kernel, Extent grid, Extent block,
                        std::uint32_t dynamic_lds_bytes, const Counters& counters);

/// Appends the kernel's name to the file that KERNELGEN_SIMULATED_LAUNCHES names, once in a process.
void note_launched(const std::string& kernel);

/// The file that KERNELGEN_SIMULATED_COUNTERS names gets a line for each launch.
bool notes_counters();
void note_counters(const std::string& json);

}  // namespace kernelgen::amdgpu::hip
