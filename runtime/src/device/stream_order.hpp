#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include "device/timeline.hpp"
#include "driver/driver.hpp"

namespace kernelgen {

/// Device-side ordering between a device's queues. Nothing here blocks the host unless stated. Thread-safe.
class StreamOrder {
 public:
  explicit StreamOrder(Driver& driver) : driver_(driver) {}
  ~StreamOrder();
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;

  /// Whether memory uses are tracked: if enabled, once a stream other than the default exists.
  bool is_followed() const noexcept { return is_followed_.load(std::memory_order_relaxed); }
  bool is_wanted() const noexcept { return is_wanted_; }
  void set_wanted(bool wanted) noexcept;
  /// There is a stream in addition to the default queue.
  void add_stream() noexcept;

  const std::shared_ptr<Timeline>& default_queue() const { return default_queue_; }

  /// Makes future work of `later` wait for that work of `earlier`, unless it already does. Ignores a queue
  /// that is being captured. Throws Error(device).
  void order(Timeline& later, const std::shared_ptr<Timeline>& earlier, Timeline::Moment work);
  /// Call before a stream is destroyed.
  void end(Timeline& queue) noexcept;
  /// A queue ordered after the work now in all those queues, which do not wait for it; used to free memory.
  void* queue_after(std::span<const std::shared_ptr<Timeline>> queues) noexcept;

 private:
  /// A queue used only to free memory.
  void* freeing_queue();
  /// Blocks the host, if no stream or event is available. Requires the mutex.
  void wait(Timeline& queue) noexcept;

  Driver& driver_;
  std::atomic<bool> is_wanted_{true}, has_streams_{false}, is_followed_{false};
  const std::shared_ptr<Timeline> default_queue_ = std::make_shared<Timeline>(nullptr);
  std::mutex freeing_mutex_;
  void* freeing_ = nullptr;  ///< null on a CPU, and until needed
};

}  // namespace kernelgen
