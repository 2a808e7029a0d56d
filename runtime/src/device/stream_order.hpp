#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <span>

#include "device/timeline.hpp"
#include "driver/driver.hpp"

namespace kernelgen {

/// How the queues of a device wait for each other, on the device. Nothing here waits for one. Thread-safe.
class StreamOrder {
 public:
  explicit StreamOrder(Driver& driver) : driver_(driver) {}
  ~StreamOrder();
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;

  /// Whether the uses of memory are followed: where it is wanted, from the first stream beside the default queue on.
  bool is_followed() const noexcept { return is_followed_.load(std::memory_order_relaxed); }
  bool is_wanted() const noexcept { return is_wanted_; }
  void set_wanted(bool wanted) noexcept;
  /// There is a stream beside the default queue.
  void add_stream() noexcept;

  const std::shared_ptr<Timeline>& default_queue() const { return default_queue_; }

  /// Lets work that is put into `later` from now on wait for that work of `earlier`, unless it does already. A queue that
  /// is captured is left as it is. Throws Error(device).
  void order(Timeline& later, const std::shared_ptr<Timeline>& earlier, Timeline::Moment work);
  /// Before a stream is destroyed.
  void end(Timeline& queue) noexcept;
  /// A queue that is behind what is in all those now, none of which waits for another: to free memory in.
  void* behind(std::span<const std::shared_ptr<Timeline>> queues) noexcept;

 private:
  /// A queue that does nothing but free.
  void* freeing_queue();
  /// The host does, where there is not even a stream left for that, or an event. With the mutex held.
  void wait(Timeline& queue) noexcept;

  Driver& driver_;
  std::atomic<bool> is_wanted_{true}, has_streams_{false}, is_followed_{false};
  const std::shared_ptr<Timeline> default_queue_ = std::make_shared<Timeline>(nullptr);
  std::mutex freeing_mutex_;
  void* freeing_ = nullptr;  ///< null on a CPU, and where there was no need yet
};

}  // namespace kernelgen
