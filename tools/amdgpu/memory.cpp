#include "memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>

namespace kernelgen::amdgpu {
namespace {

constexpr std::align_val_t alignment{256};

std::string named(const Allocation& a) {
  return fmt::format("{} ({} bytes at {:#x})", a.name.empty() ? fmt::format("allocation {}", a.id) : a.name,
                     a.bytes, a.begin);
}

}  // namespace

void Memory::Deleter::operator()(std::byte* bytes) const { ::operator delete(bytes, alignment); }

void Memory::insert(Allocation allocation) {
  // Freed neighbours that the new bytes cover are forgotten.
  auto at = allocations_.lower_bound(allocation.begin);
  if (at != allocations_.begin() && std::prev(at)->second.end() > allocation.begin) --at;
  while (at != allocations_.end() && at->first < allocation.begin + allocation.bytes)
    at = at->second.freed ? allocations_.erase(at) : std::next(at);
  allocation.id = next_id_++;
  allocations_[allocation.begin] = std::move(allocation);
}

void* Memory::allocate(std::uint64_t bytes) {
  const std::uint64_t size = std::max<std::uint64_t>(bytes, 1);
  std::unique_ptr<std::byte, Deleter> data(static_cast<std::byte*>(::operator new(size, alignment)));
  std::memset(data.get(), 0xff, size);
  const auto begin = reinterpret_cast<std::uint64_t>(data.get());
  auto initialized = tracks_initialization_ ? std::make_shared<std::vector<std::uint8_t>>(size) : nullptr;
  const std::unique_lock lock(mutex_);
  insert({begin, bytes, 0, false, {}, std::move(initialized)});
  std::byte* const result = data.get();
  owned_[begin] = std::move(data);
  return result;
}

bool Memory::free(void* address) {
  const std::unique_lock lock(mutex_);
  const auto owned = owned_.find(reinterpret_cast<std::uint64_t>(address));
  if (owned == owned_.end()) return false;
  allocations_[owned->first].freed = true;
  owned_.erase(owned);
  ++generation_;
  return true;
}

void Memory::add(const void* address, std::uint64_t bytes, std::string name,
                 std::shared_ptr<std::vector<std::uint8_t>> initialized) {
  const std::unique_lock lock(mutex_);
  insert(
      {reinterpret_cast<std::uint64_t>(address), bytes, 0, false, std::move(name), std::move(initialized)});
}

void Memory::mark_initialized(const void* address, std::uint64_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(address);
  const Allocation found = find(at, bytes);
  if (found.bytes != 0 && found.initialized != nullptr)
    std::fill_n(found.initialized->begin() + static_cast<std::ptrdiff_t>(at - found.begin), bytes, 1);
}

void Memory::copy_initialized(const void* to, const void* from, std::uint64_t bytes) {
  const auto at = reinterpret_cast<std::uint64_t>(from), target = reinterpret_cast<std::uint64_t>(to);
  const Allocation source = find(at, bytes), destination = find(target, bytes);
  if (source.initialized == nullptr) return mark_initialized(to, bytes);
  if (destination.initialized == nullptr) return;
  std::memmove(destination.initialized->data() + (target - destination.begin),
               source.initialized->data() + (at - source.begin), bytes);
}

std::string Memory::locate(std::uint64_t address) const {
  const Allocation found = find(address, 1);
  return found.bytes == 0 ? "not allocated"
                          : fmt::format("{} bytes into {}", address - found.begin, named(found));
}

void Memory::remove(const void* address) {
  const std::unique_lock lock(mutex_);
  allocations_.erase(reinterpret_cast<std::uint64_t>(address));
  ++generation_;
}

Allocation Memory::find(std::uint64_t address, std::uint64_t size) const {
  const std::shared_lock lock(mutex_);
  auto at = allocations_.upper_bound(address);
  if (at == allocations_.begin()) return {};
  --at;
  return at->second.holds(address, size) && !at->second.freed ? at->second : Allocation{};
}

std::string Memory::describe(std::uint64_t address, std::uint64_t size) const {
  const std::shared_lock lock(mutex_);
  const auto after = allocations_.upper_bound(address);
  const Allocation* before = after == allocations_.begin() ? nullptr : &std::prev(after)->second;
  const Allocation* next = after == allocations_.end() ? nullptr : &after->second;
  const std::string what = fmt::format("{} bytes at {:#x}", size, address);
  if (before != nullptr && before->freed && address < before->end())
    return fmt::format("{}: use after free: {} bytes into {}, which was freed", what, address - before->begin,
                       named(*before));
  if (before != nullptr && address < before->end())
    return fmt::format("{}: out of bounds: ends {} bytes after {}", what, address + size - before->end(),
                       named(*before));
  const std::uint64_t behind = before == nullptr ? ~std::uint64_t{0} : address - before->end();
  const std::uint64_t ahead = next == nullptr ? ~std::uint64_t{0} : next->begin - address;
  if (before == nullptr && next == nullptr) return what + ": nothing is allocated";
  if (behind <= ahead)
    return fmt::format("{}: out of bounds: {} bytes after {}", what, behind, named(*before));
  return fmt::format("{}: out of bounds: {} bytes before {}", what, ahead, named(*next));
}

}  // namespace kernelgen::amdgpu
