#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

namespace kernelgen::amdgpu {

/// A run of bytes that kernels may access.
struct Allocation {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t id = 0;  ///< counts allocations, from 1
  bool freed = false;
  std::string name;                                        ///< of a code object's segment, else empty
  std::shared_ptr<std::vector<std::uint8_t>> initialized;  ///< a flag a byte; null: all bytes are

  std::uint64_t end() const { return begin + bytes; }
  bool holds(std::uint64_t address, std::uint64_t size) const {
    return address >= begin && size <= bytes && address - begin <= bytes - size;
  }
};

/// Device memory: host memory of this process, a device pointer is a host pointer. Knows what was allocated and what was
/// freed. All functions may be called from any thread.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// `bytes` at a multiple of 256, filled with a pattern that is NaN in every float format. Throws std::bad_alloc.
  void* allocate(std::uint64_t bytes);

  /// Frees what allocate() gave. Its addresses are remembered as freed until they are allocated again. False: `address` is
  /// not the begin of a live allocation.
  bool free(void* address);

  /// Lets kernels access bytes that somebody else owns.
  void add(const void* address, std::uint64_t bytes, std::string name,
           std::shared_ptr<std::vector<std::uint8_t>> initialized = nullptr);
  void remove(const void* address);

  /// The live allocation with all of those bytes, or one with `bytes` = 0.
  Allocation find(std::uint64_t address, std::uint64_t size) const;

  /// From now on allocate() gives bytes that count as uninitialised until a kernel or mark_initialized() writes them.
  void track_initialization() { tracks_initialization_ = true; }
  /// The host wrote those bytes.
  void mark_initialized(const void* address, std::uint64_t bytes);
  /// The host copied those bytes on the device.
  void copy_initialized(const void* to, const void* from, std::uint64_t bytes);

  /// Where an address is: `8 bytes into allocation 3 (1024 bytes at 0x...)`.
  std::string locate(std::uint64_t address) const;

  /// Why an access to those bytes is wrong: the nearest allocation and the distance from it, in words.
  std::string describe(std::uint64_t address, std::uint64_t size) const;

  /// Changes with each free() and remove(): what find() gave before is no longer good.
  std::uint64_t generation() const { return generation_.load(std::memory_order_relaxed); }

 private:
  struct Deleter {
    void operator()(std::byte* bytes) const;
  };

  void insert(Allocation allocation);

  mutable std::shared_mutex mutex_;
  std::map<std::uint64_t, Allocation> allocations_;  // by begin; freed ones too
  std::map<std::uint64_t, std::unique_ptr<std::byte, Deleter>> owned_;
  std::uint64_t next_id_ = 1;
  std::atomic<std::uint64_t> generation_ = 0;
  bool tracks_initialization_ = false;
};

}  // namespace kernelgen::amdgpu
