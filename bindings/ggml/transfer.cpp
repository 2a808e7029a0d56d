#include "transfer.hpp"

#include <algorithm>
#include <cstring>

namespace kernelgen::ggml {
namespace {

constexpr std::size_t block_bytes = 16 << 20;

}  // namespace

void Transfers::in_chunks(std::size_t bytes,
                          const std::function<void(std::size_t, std::size_t, const PinnedMemory&)>& copy) {
  const std::lock_guard lock(mutex_);
  if (!block_) block_ = PinnedMemory(device_, block_bytes);
  for (std::size_t done = 0; done < bytes; done += block_bytes)
    copy(done, std::min(block_bytes, bytes - done), block_);
}

PinnedMemory Transfers::find_pinned(const void* data, std::size_t bytes, std::size_t& offset) {
  const std::lock_guard lock(mutex_);
  const auto* const begin = static_cast<const std::byte*>(data);
  for (const PinnedMemory& memory : pinned_) {
    const std::span<std::byte> range = memory.bytes();
    if (begin < range.data() || begin + bytes > range.data() + range.size()) continue;
    offset = static_cast<std::size_t>(begin - range.data());
    return memory;
  }
  return {};
}

void Transfers::set(const Tensor& to, const void* from, const Stream& stream) {
  const auto bytes = static_cast<std::size_t>(to.elements());
  std::size_t offset = 0;
  if (const PinnedMemory memory = find_pinned(from, bytes, offset)) return upload(to, memory, offset, stream);
  in_chunks(bytes, [&](std::size_t done, std::size_t count, const PinnedMemory& block) {
    std::memcpy(block.bytes().data(), static_cast<const std::byte*>(from) + done, count);
    upload(to.narrow(0, static_cast<std::int64_t>(done), static_cast<std::int64_t>(count)), block, 0, stream);
    stream.synchronize();
  });
}

void Transfers::get(void* to, const Tensor& from, const Stream& stream) {
  const auto bytes = static_cast<std::size_t>(from.elements());
  std::size_t offset = 0;
  if (const PinnedMemory memory = find_pinned(to, bytes, offset))
    return download(memory, from, offset, stream);
  in_chunks(bytes, [&](std::size_t done, std::size_t count, const PinnedMemory& block) {
    download(block, from.narrow(0, static_cast<std::int64_t>(done), static_cast<std::int64_t>(count)), 0,
             stream);
    stream.synchronize();
    std::memcpy(static_cast<std::byte*>(to) + done, block.bytes().data(), count);
  });
}

void Transfers::add_pinned(const PinnedMemory& memory) {
  const std::lock_guard lock(mutex_);
  pinned_.push_back(memory);
}

void Transfers::remove_pinned(const PinnedMemory& memory) {
  const std::lock_guard lock(mutex_);
  std::erase_if(pinned_,
                [&](const PinnedMemory& entry) { return entry.bytes().data() == memory.bytes().data(); });
}

}  // namespace kernelgen::ggml
