#include "driver/block_cache.hpp"

#include <algorithm>
#include <new>

#include "common/size_class.hpp"

namespace kernelgen {
namespace {

/// Minimum alignment of driver allocations.
constexpr std::size_t least_block = 512;

}  // namespace

BlockCache::~BlockCache() {
  for (const auto& [size, blocks] : blocks_)
    for (const Block& block : blocks) {
      source_.drop(block.mark);
      source_.give(block.memory);
    }
}

/// Requires the mutex.
void* BlockCache::find(std::size_t size, void* stream, bool in_stream) {
  const auto known = blocks_.find(size);
  if (known == blocks_.end()) return nullptr;
  std::vector<Block>& blocks = known->second;
  const auto is_mine = [&](const Block& block) {
    return in_stream && block.has_stream && block.stream == stream;
  };
  auto found = std::ranges::find_if(blocks, is_mine);
  if (found == blocks.end())
    found = std::ranges::find_if(blocks, [&](const Block& block) { return source_.is_reached(block.mark); });
  if (found == blocks.end()) return nullptr;
  void* const memory = found->memory;
  source_.drop(found->mark);
  blocks.erase(found);
  cached_ -= size;
  return memory;
}

void* BlockCache::allocate(std::size_t bytes, void* stream, bool in_stream) {
  if (bytes == 0) return nullptr;
  const std::size_t size = size_class(bytes, least_block);
  {
    const std::lock_guard lock(mutex_);
    if (void* const memory = find(size, stream, in_stream)) return memory;
  }
  return source_.take(size);
}

void BlockCache::free(void* memory, std::size_t bytes, void* stream) noexcept {
  if (memory == nullptr) return;
  const std::size_t size = size_class(bytes, least_block);
  void* const mark = source_.mark(stream);
  if (mark != nullptr) {
    const std::lock_guard lock(mutex_);
    try {
      blocks_[size].push_back({memory, stream, mark, true});
      cached_ += size;
      return;
    } catch (const std::bad_alloc&) {
      // No memory to record the block.
    }
    source_.drop(mark);
  }
  source_.give(memory);
}

void BlockCache::forget(void* stream) noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [size, blocks] : blocks_)
    for (Block& block : blocks)
      if (block.stream == stream) block.has_stream = false;
}

void BlockCache::trim() noexcept {
  const std::lock_guard lock(mutex_);
  for (auto& [size, blocks] : blocks_)
    std::erase_if(blocks, [&, bytes = size](const Block& block) {
      if (!source_.is_reached(block.mark)) return false;
      source_.drop(block.mark);
      source_.give(block.memory);
      cached_ -= bytes;
      return true;
    });
}

std::size_t BlockCache::cached() const {
  const std::lock_guard lock(mutex_);
  return cached_;
}

}  // namespace kernelgen
