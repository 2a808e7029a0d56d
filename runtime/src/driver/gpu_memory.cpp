/// GPU memory: the driver's pool, or a block cache without one; pinned host memory; and memory of other GPUs.
#include <algorithm>
#include <limits>

#include "common/format.hpp"
#include "driver/gpu_driver.hpp"
#include "driver/gpu_numbers.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
/// On the device or the host.
class GpuDriver::Blocks final : public BlockSource {
 public:
  Blocks(GpuDriver& driver, bool are_pinned) : driver_(driver), are_pinned_(are_pinned) {}

  void* take(std::size_t bytes) override {
    const GpuCalls& calls = driver_.api_.calls;
    const Current current(driver_.api_, driver_.context_);
    current.require();
    void* memory = nullptr;
    const int status = are_pinned_
                           ? calls.allocate_pinned.function(&memory, bytes, gpu::pinned_for_all_devices)
                           : calls.allocate.function(&memory, bytes);
    if (status == 0) return memory;
    if (!are_pinned_) driver_.refuse_memory(calls.allocate.name, status, bytes);
    driver_.api_.fail(calls.allocate_pinned.name, status, formatted("{} bytes were requested", bytes));
  }
  void give(void* memory) noexcept override {
    const GpuCalls& calls = driver_.api_.calls;
    driver_.call_quietly(are_pinned_ ? calls.free_pinned : calls.free, memory);
  }
  void* mark(void* stream) noexcept override {
    try {
      return driver_.new_event(stream, gpu::event_without_time);
    } catch (const Error&) {
      return nullptr;
    }
  }
  bool is_reached(void* mark) noexcept override {
    const Current current(driver_.api_, driver_.context_);
    if (current.status() != 0) return true;  // a device in error does no work
    const int status = driver_.api_.calls.query_event.function(mark);
    // During a capture in global mode, queries are not allowed (HIP from 7.0 on, CUDA).
    const bool is_refused = status >= gpu::first_capture_status && status <= gpu::last_capture_status;
    return status != gpu::status_not_ready && !is_refused;
  }
  void drop(void* mark) noexcept override { driver_.destroy_event(mark); }

 private:
  GpuDriver& driver_;
  const bool are_pinned_;
};

void GpuDriver::open_memory() {
  open_pool();
  if (pool_ == nullptr) {
    block_source_ = std::make_unique<Blocks>(*this, false);
    blocks_ = std::make_unique<BlockCache>(*block_source_);
  }
  pinned_source_ = std::make_unique<Blocks>(*this, true);
  pinned_ = std::make_unique<BlockCache>(*pinned_source_);
}

void GpuDriver::close_memory() noexcept {
  kept_.trim([](void*) { return true; }, [&](void* memory, void* stream) { free_in_pool(memory, stream); });
  blocks_.reset();
  pinned_.reset();
  if (order_event_ != nullptr) destroy_event(order_event_);
}

void GpuDriver::open_pool() {
  const GpuCalls& calls = api_.calls;
  if (!calls.allocate_async || !calls.free_async || !calls.default_pool || !calls.set_pool_attribute ||
      !calls.pool_attribute)
    return;
  int supported = 0;
  api_.invoke(calls.device_attribute, &supported, api_.constants.pools_supported, ordinal_);
  if (supported == 0) return;
  api_.invoke(calls.default_pool, &pool_, ordinal_);
  // The default, 0, returns all unused memory to the system at every synchronisation.
  std::uint64_t threshold = std::numeric_limits<std::uint64_t>::max();
  api_.invoke(calls.set_pool_attribute, pool_, gpu::pool_release_threshold, static_cast<void*>(&threshold));
}

std::size_t GpuDriver::pool_value(int attribute) const {
  std::uint64_t value = 0;
  call(api_.calls.pool_attribute, pool_, attribute, static_cast<void*>(&value));
  return value;
}

std::size_t GpuDriver::free_memory() {
  std::size_t free = 0, total = 0;
  call(api_.calls.memory_info, &free, &total);
  // Unused memory held by the pool can be allocated too.
  return free + cached_memory();
}

std::size_t GpuDriver::cached_memory() {
  return pool_ != nullptr
             ? pool_value(gpu::pool_reserved_now) - pool_value(gpu::pool_used_now) + kept_.bytes()
             : blocks_->cached();
}

void GpuDriver::trim_memory() {
  pinned_->trim();
  if (blocks_ != nullptr) blocks_->trim();
  trim_kept();
  if (pool_ != nullptr && api_.calls.trim_pool) call(api_.calls.trim_pool, pool_, std::size_t{0});
}

void* GpuDriver::take_memory(std::size_t bytes, void* stream) {
  if (pool_ == nullptr) return blocks_->allocate(bytes, stream);
  const bool is_kept = keeps(bytes);
  const std::size_t size = is_kept ? StreamBlocks::size_of(bytes) : bytes;
  void* memory = is_kept ? kept_.take(size, stream) : nullptr;
  if (memory != nullptr) return memory;
  const Current current(api_, context_);
  current.require();
  const auto& allocate = api_.calls.allocate_async;
  int status = allocate.function(&memory, size, stream);
  if (status == gpu::status_out_of_memory && trim_kept()) status = allocate.function(&memory, size, stream);
  if (status != 0) refuse_memory(allocate.name, status, bytes);
  return memory;
}

void GpuDriver::give_memory(void* memory, std::size_t bytes, void* stream) noexcept {
  if (pool_ == nullptr) return blocks_->free(memory, bytes, stream);
  if (keeps(bytes)) memory = kept_.keep({memory, StreamBlocks::size_of(bytes)}, stream);
  if (memory != nullptr) free_in_pool(memory, stream);
}

bool GpuDriver::trim_kept() noexcept {
  return kept_.trim([&](void* stream) { return !is_capturing(stream); },
                    [&](void* memory, void* stream) { free_in_pool(memory, stream); });
}

void GpuDriver::refuse_memory(const char* call, int status, std::size_t bytes) const {
  api_.fail(call, status,
            formatted("{} bytes were requested of the {} that {} has", bytes, info_.total_memory, location_));
}

void* GpuDriver::allocate_pinned(std::size_t bytes) { return pinned_->allocate(bytes); }

void GpuDriver::free_pinned(void* memory, std::size_t bytes, void* stream) noexcept {
  pinned_->free(memory, bytes, stream);
}

bool GpuDriver::copy_to_peer(Driver& peer, void* to, const void* from, std::size_t bytes, void* stream) {
  auto* const other = dynamic_cast<GpuDriver*>(&peer);
  if (other == nullptr || &other->api_ != &api_) return false;
  if (other->ordinal_ != ordinal_) reach(*other);
  // Addresses identify their device to the driver.
  copy_on_device(to, from, bytes, stream);
  return true;
}

/// Without peer access, the driver copies through the host.
void GpuDriver::reach(const GpuDriver& peer) {
  const std::lock_guard lock(peers_mutex_);
  if (std::ranges::count(peers_, peer.ordinal_) != 0) return;
  int can = 0;
  call(api_.calls.can_reach_peer, &can, ordinal_, peer.ordinal_);
  if (can != 0) {
    const Current current(api_, context_);
    current.require();
    if (const int status = api_.reach_peer(peer.context_);
        status != 0 && status != gpu::status_reached_already)
      api_.fail("making the peer's memory reachable", status);
    if (peer.pool_ != nullptr && api_.calls.set_pool_access) {
      const gpu::PoolAccess access{gpu::location_of_a_device, ordinal_, gpu::read_and_write};
      api_.invoke(api_.calls.set_pool_access, peer.pool_, static_cast<const void*>(&access), std::size_t{1});
    }
  }
  peers_.push_back(peer.ordinal_);
}

}  // namespace kernelgen
