#pragma once
#include <atomic>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "device/profiler_ranges.hpp"
#include "device/trace_file.hpp"
#include "driver/driver.hpp"
#include "kernelgen/device.hpp"

namespace kernelgen {

/// Observers of a device's launches: a callback, a log, a trace with device times, profiler ranges. The
/// environment is read once, at open. Thread-safe; without observers a launch costs one load.
class LaunchObserver {
 public:
  using Callback = std::function<void(const LaunchInfo&)>;

  /// Throws Error(io) if a file cannot be written, Error(unsupported) if the range library is missing.
  LaunchObserver(Driver& driver, const std::string& location);
  ~LaunchObserver();
  LaunchObserver(const LaunchObserver&) = delete;
  LaunchObserver& operator=(const LaunchObserver&) = delete;

  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  void set_callback(Callback callback);

  /// Sets the reported name of a function.
  void name(const void* function, std::string_view kernel);
  std::string name_of(const void* function) const;
  /// Writes a line to the log.
  void note(std::string_view text) const;

  /// Enqueues a launch of a kernel or a graph, with observation.
  void around(const LaunchInfo& launch, const std::function<void()>& put);
  /// Waits for traced launches and writes them.
  void write_trace() noexcept;

 private:
  /// A launch in flight between two events.
  struct Traced {
    std::string name;
    std::string arguments;  ///< JSON
    void* stream;
    void *start, *end;
  };

  void trace(const LaunchInfo& launch, const std::function<void()>& put);
  void write(std::vector<Traced> launches);

  Driver& driver_;
  const std::string location_;
  std::FILE* const log_;
  TraceFile* const trace_;
  const ProfilerRanges* const ranges_;
  std::atomic<bool> is_on_;

  mutable std::mutex mutex_;
  std::shared_ptr<const Callback> callback_;
  std::unordered_map<const void*, std::string> names_;
  std::vector<Traced> traced_;
  void* base_ = nullptr;  ///< an event with known host time
  double base_microseconds_ = 0;
};

}  // namespace kernelgen
