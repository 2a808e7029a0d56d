#pragma once
#include <atomic>
#include <cstddef>
#include <limits>

namespace kernelgen {

/// Bytes of a device that are allocated. Thread-safe.
class MemoryCount {
 public:
  /// Counts the bytes, unless they would be more than the limit. Whether it did.
  bool add(std::size_t bytes) noexcept {
    const std::size_t now = in_use_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (now > limit_.load(std::memory_order_relaxed)) {
      remove(bytes);
      return false;
    }
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    return true;
  }
  void remove(std::size_t bytes) noexcept { in_use_.fetch_sub(bytes, std::memory_order_relaxed); }

  std::size_t in_use() const { return in_use_.load(std::memory_order_relaxed); }
  std::size_t peak() const { return peak_.load(std::memory_order_relaxed); }
  std::size_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void set_limit(std::size_t bytes) { limit_.store(bytes, std::memory_order_relaxed); }
  void reset_peak() { peak_.store(in_use(), std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> in_use_{0}, peak_{0}, limit_{std::numeric_limits<std::size_t>::max()};
};

}  // namespace kernelgen
