#pragma once
#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace kernelgen {

/// Bytes of memory and swap that the machine has: no allocation can be larger.
std::size_t most_host_memory();

/// Memory of the CPU device: 64-byte aligned; blocks of a megabyte and more come as huge pages where the
/// system has them. Freed blocks, but for small ones, are kept for the next allocation of their size class, because fresh
/// memory costs a page fault a page, which is more than most operations do with it. Thread-safe.
class HostMemory {
 public:
  /// Keeps at most `cache_limit` bytes of freed blocks.
  explicit HostMemory(std::size_t cache_limit) : cache_limit_(cache_limit) {}
  ~HostMemory();
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  /// Null for 0 bytes. Throws Error(out_of_memory).
  void* allocate(std::size_t bytes);
  void free(void* memory, std::size_t bytes) noexcept;

  /// Gives the system what is held of freed blocks.
  void trim();

  /// Bytes of freed blocks held now.
  std::size_t cached() const;

 private:
  void* allocate_block(std::size_t bytes);
  void release_cache();

  const std::size_t cache_limit_;
  mutable std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> blocks_;  ///< by size class
  std::size_t cached_ = 0;
};

}  // namespace kernelgen
