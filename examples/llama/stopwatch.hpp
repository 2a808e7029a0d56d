#pragma once
#include <chrono>

class Stopwatch {
 public:
  /// Seconds since it was made, or since the last call.
  double lap() {
    const auto now = Clock::now();
    const double seconds = std::chrono::duration<double>(now - start_).count();
    start_ = now;
    return seconds;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};
