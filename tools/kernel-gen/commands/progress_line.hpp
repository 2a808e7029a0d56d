#pragma once
#include <chrono>
#include <mutex>
#include <string>

namespace kernelgen::tool {

/// A line on stderr that is written over: "libggml-hip.so: 42 % read". It appears after a second; nothing where stderr is no terminal.
/// Thread-safe.
class ProgressLine {
 public:
  /// `what` is done to the file of that name.
  ProgressLine(const std::string& name, std::string what);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// `share` of it is done, 0 to 1.
  void show(double share);

 private:
  using Clock = std::chrono::steady_clock;
  std::string name_, what_;
  bool is_terminal_, is_shown_ = false;
  std::mutex mutex_;
  Clock::time_point next_ = Clock::now() + std::chrono::seconds(1);
};

}  // namespace kernelgen::tool
