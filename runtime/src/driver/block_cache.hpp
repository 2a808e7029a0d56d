#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace kernelgen {

/// Where a cache has its blocks from, and what it asks of their device. Marks are places in streams.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Throws Error(out_of_memory).
  virtual void* take(std::size_t bytes) = 0;
  virtual void give(void* memory) noexcept = 0;
  /// Null where the device is in error.
  virtual void* mark(void* stream) noexcept = 0;
  virtual bool is_reached(void* mark) noexcept = 0;
  virtual void drop(void* mark) noexcept = 0;
};

/// Blocks of memory that the driver makes and frees slowly, and waits for the device to do so. Freed ones are kept for what
/// is asked for later: in the same stream at once, as its work is done in order; elsewhere when the work before the free is
/// done, for which nobody waits. Thread-safe.
class BlockCache {
 public:
  explicit BlockCache(BlockSource& source) : source_(source) {}
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// For work in the stream. Throws Error(out_of_memory).
  void* allocate(std::size_t bytes, void* stream) { return allocate(bytes, stream, true); }
  /// For whoever does not keep to a stream, such as the host.
  void* allocate(std::size_t bytes) { return allocate(bytes, nullptr, false); }
  /// Behind what is in the stream now.
  void free(void* memory, std::size_t bytes, void* stream) noexcept;
  /// Before a stream is destroyed: another may come to have its handle.
  void forget(void* stream) noexcept;

  /// Gives up what no work uses any more.
  void trim() noexcept;
  std::size_t cached() const;

 private:
  struct Block {
    void* memory;
    void* stream;
    void* mark;
    bool has_stream;
  };

  void* allocate(std::size_t bytes, void* stream, bool in_stream);
  void* find(std::size_t size, void* stream, bool in_stream);

  BlockSource& source_;
  mutable std::mutex mutex_;
  std::map<std::size_t, std::vector<Block>> blocks_;  ///< by size
  std::size_t cached_ = 0;
};

}  // namespace kernelgen
