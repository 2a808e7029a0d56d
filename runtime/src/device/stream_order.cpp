#include "device/stream_order.hpp"

#include "kernelgen/error.hpp"

namespace kernelgen {

StreamOrder::~StreamOrder() {
  if (freeing_ != nullptr) driver_.destroy_stream(freeing_);
}

void StreamOrder::set_wanted(bool wanted) noexcept {
  is_wanted_ = wanted;
  is_followed_ = wanted && has_streams_;
}

void StreamOrder::add_stream() noexcept {
  has_streams_ = true;
  is_followed_ = is_wanted_.load();
}

void* StreamOrder::freeing_queue() {
  const std::lock_guard lock(freeing_mutex_);
  if (freeing_ == nullptr) freeing_ = driver_.create_stream(Priority::normal);
  return freeing_;
}

void StreamOrder::order(Timeline& later, const std::shared_ptr<Timeline>& earlier, Timeline::Moment work) {
  if (&later == earlier.get() || earlier->is_done(work) || later.is_after(*earlier, work)) return;
  const Timeline::Moment passed = earlier->pass();
  {
    const std::lock_guard lock(earlier->mutex);
    if (earlier->is_captured) return;
    // Of a queue that is gone, the freeing one waits for what it left.
    driver_.order(later.queue, earlier->is_ended ? freeing_queue() : earlier->queue);
  }
  later.set_after(earlier, passed);
}

void StreamOrder::end(Timeline& queue) noexcept {
  queue.forget_others();
  const std::lock_guard lock(queue.mutex);
  queue.is_ended = true;
  if (!queue.is_read) return;
  try {
    driver_.order(freeing_queue(), queue.queue);
  } catch (const Error&) {
    wait(queue);
  }
}

void StreamOrder::wait(Timeline& queue) noexcept {
  if (queue.is_captured) return;
  try {
    driver_.synchronize_stream(queue.queue);
  } catch (const Error&) {
    // The device is in error, which the next call reports; no work remains to wait for.
  }
}

void* StreamOrder::queue_after(std::span<const std::shared_ptr<Timeline>> queues) noexcept {
  void* freeing = nullptr;
  try {
    freeing = freeing_queue();
    for (const std::shared_ptr<Timeline>& queue : queues) {
      const std::lock_guard lock(queue->mutex);
      if (!queue->is_ended) driver_.order(freeing, queue->queue);
    }
  } catch (const Error&) {
    for (const std::shared_ptr<Timeline>& queue : queues) {
      const std::lock_guard lock(queue->mutex);
      if (!queue->is_ended) wait(*queue);
    }
  }
  return freeing;
}

}  // namespace kernelgen
