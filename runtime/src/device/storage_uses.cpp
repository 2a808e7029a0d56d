#include "device/storage_uses.hpp"

#include <algorithm>

#include "device/device_state.hpp"

namespace kernelgen {

void StorageUses::add(DeviceState& state, const Stream& stream, Access access) {
  const std::shared_ptr<Timeline>& mine = state.timeline(stream);
  const Timeline::Moment now = mine->now();
  const auto note = [&] {
    used_.store(now, std::memory_order_relaxed);
    if (access == Access::write) written_.store(now, std::memory_order_relaxed);
  };
  if (only_.load(std::memory_order_acquire) == mine.get()) return note();

  StreamOrder& order = state.stream_order();
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<Timeline> writer = state.timeline(writer_);
  const bool is_writer = writer == mine;
  if (access == Access::read && !is_writer) {
    order.order(*mine, writer, written_);
    const auto known = std::ranges::find(readers_, mine, &Reader::queue);
    if (known != readers_.end()) {
      known->last = now;
      return;
    }
    {
      const std::lock_guard marking(mine->mutex);
      mine->is_read = true;
    }
    add_reader({mine, now});
    only_ = nullptr;
    return;
  }
  if (access == Access::write) {
    if (!is_writer) order.order(*mine, writer, used_);
    for (const Reader& reader : readers_) order.order(*mine, reader.queue, reader.last);
    readers_.clear();
    if (!is_writer) writer_ = state.resolved(stream);
  }
  note();
  if (readers_.empty()) only_.store(mine.get(), std::memory_order_release);
}

void StorageUses::add_reader(Reader reader) {
  // Streams are destroyed while weights live on: one destroyed stream represents all, and the freeing queue runs after them.
  const auto is_ended = [](const Reader& known) { return known.queue->is_ended.load(); };
  const auto first = std::ranges::find_if(readers_, is_ended);
  if (first != readers_.end()) {
    first->last = Timeline::unknown;
    readers_.erase(std::remove_if(first + 1, readers_.end(), is_ended), readers_.end());
  }
  readers_.push_back(std::move(reader));
}

void StorageUses::set_done() noexcept {
  written_.store(Timeline::done, std::memory_order_relaxed);
  used_.store(Timeline::done, std::memory_order_relaxed);
}

Stream StorageUses::writer() const {
  const std::lock_guard lock(mutex_);
  return writer_;
}

std::vector<std::shared_ptr<Timeline>> StorageUses::readers() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Timeline>> queues;
  for (const Reader& reader : readers_) queues.push_back(reader.queue);
  return queues;
}

}  // namespace kernelgen
