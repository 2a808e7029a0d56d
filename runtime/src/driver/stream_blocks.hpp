#pragma once
#include <cstddef>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace kernelgen {

/// Freed blocks of a stream-ordered pool. The stream that a block was freed in takes it again at once, as it runs in order,
/// without the pool's two calls, which cost about a third of a launch. Thread-safe.
class StreamBlocks {
 public:
  /// Larger blocks are not kept: work on them takes longer than the calls.
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;
  /// Blocks kept for each stream.
  static constexpr std::size_t most_blocks = 64;

  struct Block {
    void* memory;
    std::size_t size;
  };

  /// What a block for that many bytes, at most most_bytes, has to have.
  static std::size_t size_of(std::size_t bytes);

  /// A block of that size, freed in the stream; null if there is none.
  void* take(std::size_t size, void* stream) noexcept;
  /// Keeps the block. Returns what the pool gets back in the stream: the block that was kept for longest, or this one of a
  /// stream that takes none; null if nothing.
  void* keep(Block block, void* stream) noexcept;
  /// Passes the blocks of a stream to give(memory, stream), before the stream is destroyed.
  template <class Give>
  void forget(void* stream, Give give) noexcept {
    const std::lock_guard lock(mutex_);
    const auto known = blocks_.find(stream);
    if (known == blocks_.end()) return;
    for (const Block& block : known->second) give(block.memory, stream);
    blocks_.erase(known);
  }
  /// Passes the blocks of the streams with is_ready(stream) to give(memory, stream). Whether there were any.
  template <class IsReady, class Give>
  bool trim(IsReady is_ready, Give give) noexcept {
    const std::lock_guard lock(mutex_);
    bool had_any = false;
    for (auto& [stream, blocks] : blocks_) {
      if (blocks.empty() || !is_ready(stream)) continue;
      for (const Block& block : blocks) give(block.memory, stream);
      blocks.clear();
      had_any = true;
    }
    return had_any;
  }

  std::size_t bytes() const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<void*, std::vector<Block>> blocks_;  ///< of each stream that memory was taken for
};

}  // namespace kernelgen
