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

/// Who looks on while a device is used: a callback, a log, a trace with times of the device, ranges of a profiler. What the
/// environment asks for is read once, when the device is opened. Thread-safe; where nobody looks, a launch costs a load.
class LaunchObserver {
 public:
  using Callback = std::function<void(const LaunchInfo&)>;

  /// Throws Error(io) for a file that cannot be written, Error(unsupported) where there is no library of ranges.
  LaunchObserver(Driver& driver, const std::string& location);
  ~LaunchObserver();
  LaunchObserver(const LaunchObserver&) = delete;
  LaunchObserver& operator=(const LaunchObserver&) = delete;

  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  void set_callback(Callback callback);

  /// What a function is called from now on.
  void name(const void* function, std::string_view kernel);
  std::string name_of(const void* function) const;
  /// A line in the log.
  void note(std::string_view text) const;

  /// Puts a launch, or a graph's, into its stream.
  void around(const LaunchInfo& launch, const std::function<void()>& put);
  /// Waits for what is traced, and writes it down.
  void write_trace() noexcept;

 private:
  /// A launch that is under way, between two events.
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
  void* base_ = nullptr;  ///< an event whose time of the host is known
  double base_microseconds_ = 0;
};

}  // namespace kernelgen
