#include "driver/stream_blocks.hpp"

#include <algorithm>
#include <iterator>
#include <new>

#include "common/size_class.hpp"

namespace kernelgen {

std::size_t StreamBlocks::size_of(std::size_t bytes) {
  // The pool's own granularity.
  return size_class(bytes, 512);
}

void* StreamBlocks::take(std::size_t size, void* stream) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    std::vector<Block>& blocks = blocks_[stream];
    // keep() never allocates.
    blocks.reserve(most_blocks);
    // The block freed last is the likeliest to be in a cache.
    const auto found = std::find_if(blocks.rbegin(), blocks.rend(),
                                    [size](const Block& block) { return block.size == size; });
    if (found == blocks.rend()) return nullptr;
    void* const memory = found->memory;
    blocks.erase(std::next(found).base());
    return memory;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void* StreamBlocks::keep(Block block, void* stream) noexcept {
  const std::lock_guard lock(mutex_);
  const auto known = blocks_.find(stream);
  if (known == blocks_.end() || known->second.capacity() < most_blocks) return block.memory;
  std::vector<Block>& blocks = known->second;
  void* displaced = nullptr;
  if (blocks.size() == most_blocks) {
    displaced = blocks.front().memory;
    blocks.erase(blocks.begin());
  }
  blocks.push_back(block);
  return displaced;
}

std::size_t StreamBlocks::bytes() const {
  const std::lock_guard lock(mutex_);
  std::size_t bytes = 0;
  for (const auto& [stream, blocks] : blocks_)
    for (const Block& block : blocks) bytes += block.size;
  return bytes;
}

}  // namespace kernelgen
