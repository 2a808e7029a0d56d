#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace kernelgen {

/// Source of a cache's blocks and its device operations. Marks are positions in streams.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  /// Throws Error(out_of_memory).
  virtual void* take(std::size_t bytes) = 0;
  virtual void give(void* memory) noexcept = 0;
  /// Null if the device is in error.
  virtual void* mark(void* stream) noexcept = 0;
  virtual bool is_reached(void* mark) noexcept = 0;
  virtual void drop(void* mark) noexcept = 0;
};

/// Caches memory blocks that are slow to allocate and free and that synchronize the device. A freed block is
/// reused at once in the same stream, which runs in order; elsewhere once the work before the free is done,
/// without waiting. Thread-safe.
class BlockCache {
 public:
  explicit BlockCache(BlockSource& source) : source_(source) {}
  ~BlockCache();
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// Allocates for work in the stream. Throws Error(out_of_memory).
  void* allocate(std::size_t bytes, void* stream) { return allocate(bytes, stream, true); }
  /// Allocates for use outside streams, such as by the host.
  void* allocate(std::size_t bytes) { return allocate(bytes, nullptr, false); }
  /// Frees after the work now in the stream.
  void free(void* memory, std::size_t bytes, void* stream) noexcept;
  /// Call before a stream is destroyed: its handle may be reused.
  void forget(void* stream) noexcept;

  /// Frees blocks no work uses any more.
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
  std::map<std::size_t, std::vector<Block>> blocks_;  ///< keyed by size
  std::size_t cached_ = 0;
};

}  // namespace kernelgen
