#include "driver/host_memory.hpp"

#include <sys/mman.h>
#include <sys/sysinfo.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "common/format.hpp"
#include "common/size_class.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr std::size_t alignment = 64;
/// Largest block left to the system's allocator, which returns the pages of larger ones and maps them again.
constexpr std::size_t least_kept = std::size_t{16} << 10;
/// Mapped, and with huge pages where the system has them.
constexpr std::size_t big_block = std::size_t{1} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;

[[noreturn]] void fail(std::size_t bytes) {
  throw Error(Code::out_of_memory, formatted("cannot allocate {} bytes of host memory", bytes));
}

/// A private mapping that starts at a huge page's boundary, so that the kernel can back it with huge pages.
void* map(std::size_t bytes) {
  const std::size_t wanted = bytes + huge_page;
  void* raw = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  auto* start = static_cast<std::byte*>(raw);
  const std::size_t head = (huge_page - reinterpret_cast<std::uintptr_t>(start) % huge_page) % huge_page;
  if (head != 0) ::munmap(start, head);
  ::munmap(start + head + bytes, huge_page - head);
  // Advice only: without huge pages the block works as well, in small ones.
  ::madvise(start + head, bytes, MADV_HUGEPAGE);
  return start + head;
}

void* make(std::size_t size) { return size >= big_block ? map(size) : std::aligned_alloc(alignment, size); }

void give(void* memory, std::size_t size) {
  if (size >= big_block)
    ::munmap(memory, size);
  else
    std::free(memory);
}

}  // namespace

std::size_t most_host_memory() {
  static const std::size_t bytes = [] {
    struct sysinfo info{};
    ::sysinfo(&info);
    return (std::size_t{info.totalram} + info.totalswap) * info.mem_unit;
  }();
  return bytes;
}

HostMemory::~HostMemory() { release_cache(); }

void* HostMemory::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  // A system that overcommits would kill the process at the first use.
  if (bytes > most_host_memory()) fail(bytes);
  if (bytes >= least_kept) return allocate_block(bytes);
  void* memory = std::aligned_alloc(alignment, quotient_up(bytes, alignment) * alignment);
  if (memory == nullptr) fail(bytes);
  return memory;
}

void* HostMemory::allocate_block(std::size_t bytes) {
  const std::size_t size = size_class(bytes, alignment);
  const std::lock_guard lock(mutex_);
  if (const auto found = blocks_.find(size); found != blocks_.end() && !found->second.empty()) {
    void* memory = found->second.back();
    found->second.pop_back();
    cached_ -= size;
    return memory;
  }
  void* memory = make(size);
  if (memory == nullptr) {
    release_cache();
    memory = make(size);
  }
  if (memory == nullptr) fail(bytes);
  return memory;
}

void HostMemory::free(void* memory, std::size_t bytes) noexcept {
  if (memory == nullptr) return;
  if (bytes < least_kept) {
    std::free(memory);
    return;
  }
  const std::size_t size = size_class(bytes, alignment);
  {
    const std::lock_guard lock(mutex_);
    if (size <= cache_limit_ - cached_) {
      try {
        blocks_[size].push_back(memory);
        cached_ += size;
        return;
      } catch (const std::bad_alloc&) {
        // No memory to remember the block by: the system gets it back.
      }
    }
  }
  give(memory, size);
}

void HostMemory::trim() {
  const std::lock_guard lock(mutex_);
  release_cache();
}

std::size_t HostMemory::cached() const {
  const std::lock_guard lock(mutex_);
  return cached_;
}

void HostMemory::release_cache() {
  for (const auto& [size, blocks] : blocks_)
    for (void* memory : blocks) give(memory, size);
  blocks_.clear();
  cached_ = 0;
}

}  // namespace kernelgen
