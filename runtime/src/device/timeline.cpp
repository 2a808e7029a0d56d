#include "device/timeline.hpp"

#include <algorithm>

namespace kernelgen {

Timeline::Moment Timeline::this_thread() noexcept {
  static std::atomic<Moment> threads{0};
  // Numbers come again after a million threads, of which the first has ended by then.
  thread_local const Moment number = threads.fetch_add(1, std::memory_order_relaxed) & thread_mask;
  return number;
}

void Timeline::set_after(std::shared_ptr<Timeline> other, Moment moment) {
  if (other.get() == this) return;  // it is, and would hold itself
  const std::lock_guard lock(behind_mutex_);
  // Nothing is asked of queues that only this one remembers.
  std::erase_if(behind_, [&](const Behind& known) {
    return known.other.use_count() == 1 ||
           (known.other == other && ((known.moment ^ moment) & thread_mask) == 0 && known.moment <= moment);
  });
  behind_.push_back({std::move(other), moment});
}

bool Timeline::is_after(const Timeline& other, Moment work) const {
  const std::lock_guard lock(behind_mutex_);
  return std::ranges::any_of(behind_, [&](const Behind& known) {
    return known.other.get() == &other && covers(known.moment, work);
  });
}

void Timeline::forget_others() noexcept {
  std::vector<Behind> others;  // which go without the lock
  const std::lock_guard lock(behind_mutex_);
  others.swap(behind_);
}

}  // namespace kernelgen
