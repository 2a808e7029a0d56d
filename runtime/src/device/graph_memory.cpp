#include "device/graph_memory.hpp"

#include <algorithm>

#include "common/size_class.hpp"

namespace kernelgen {
GraphMemory::~GraphMemory() {
  // The graph's results are usually read in the default stream.
  if (!blocks_.empty()) state_->order_after(stream_, {});
  for (const Block& block : blocks_) state_->release({block.data, block.bytes, stream_, nullptr, {}});
  if (queue_ != nullptr) state_->driver().destroy_stream(queue_);
}

std::shared_ptr<void> GraphMemory::take(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return {find_block(size_class(bytes, 512)),
          [memory = shared_from_this()](void* data) { memory->give_back(data); }};
}

void* GraphMemory::find_block(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  for (Block& block : blocks_) {
    if (block.is_taken || block.bytes != bytes) continue;
    block.is_taken = true;
    return block.data;
  }
  Driver& driver = state_->driver();
  if (queue_ == nullptr) queue_ = driver.create_stream(Priority::normal);
  blocks_.reserve(blocks_.size() + 1);
  void* const data = driver.allocate(bytes, queue_);
  blocks_.push_back({data, bytes, true});
  // Makes the memory usable in other streams.
  driver.synchronize_stream(queue_);
  return data;
}

void GraphMemory::give_back(const void* data) noexcept {
  const std::lock_guard lock(mutex_);
  std::ranges::find(blocks_, data, &Block::data)->is_taken = false;
}

bool GraphMemory::owns(const void* data) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(blocks_, [&](const Block& block) { return block.data == data; });
}

std::size_t GraphMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const Block& block : blocks_) bytes += block.bytes;
  return bytes;
}

}  // namespace kernelgen
