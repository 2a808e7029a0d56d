#pragma once
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace kernelgen {

/// How far a queue of work has come, in moments, and which moments of other queues it waits for already. Outlives its queue,
/// and is null safe to ask from any thread.
///
/// A moment is known by the thread that names it: a thread knows that what it put in before is before it, and nothing of
/// what others are about to put in. What one thread knows therefore covers no other's work.
class Timeline {
 public:
  using Moment = std::uint64_t;
  static constexpr Moment done = 0;  ///< of work that is known to be
  static constexpr Moment unknown = std::numeric_limits<Moment>::max();

  explicit Timeline(void* queue) : queue(queue) {}

  /// Of work that this thread puts into the queue now.
  Moment now() const noexcept {
    return epoch_.load(std::memory_order_relaxed) << thread_bits | this_thread();
  }
  /// The point after all work that this thread has submitted; later work comes after it.
  Moment pass() noexcept {
    return epoch_.fetch_add(1, std::memory_order_relaxed) << thread_bits | this_thread();
  }

  /// The host has waited for the moment.
  void set_done(Moment moment) noexcept { done_.store(moment, std::memory_order_relaxed); }
  bool is_done(Moment work) const noexcept {
    return work == done || covers(done_.load(std::memory_order_relaxed), work);
  }
  /// Work of this queue from now on waits for that moment of the other.
  void set_after(std::shared_ptr<Timeline> other, Moment moment);
  bool is_after(const Timeline& other, Moment work) const;
  /// Nothing is put into this queue any more. Two that have waited for each other would remember each other for good.
  void forget_others() noexcept;

  void* const queue;  ///< the driver's

  // Of StreamOrder, with the mutex held.
  std::mutex mutex;
  bool is_read = false;               ///< its end must be reported when memory is freed
  bool is_captured = false;           ///< nothing that is put in is done
  std::atomic<bool> is_ended{false};  ///< read without it too

 private:
  struct Behind {
    std::shared_ptr<Timeline> other;
    Moment moment;
  };

  static constexpr int thread_bits = 20;
  static constexpr Moment thread_mask = (Moment{1} << thread_bits) - 1;
  static Moment this_thread() noexcept;
  static bool covers(Moment known, Moment work) noexcept {
    return work != unknown && ((known ^ work) & thread_mask) == 0 && known >= work;
  }

  std::atomic<Moment> epoch_{1}, done_{0};
  mutable std::mutex behind_mutex_;
  std::vector<Behind> behind_;
};

}  // namespace kernelgen
