#include "driver/driver.hpp"

#include "common/format.hpp"

#include <utility>

#include "driver/cpu_devices.hpp"
#include "driver/cpu_driver.hpp"
#include "driver/gpu_api.hpp"
#include "driver/gpu_driver.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

const GpuApi& api_of(DeviceKind kind) { return kind == DeviceKind::hip ? hip_api() : cuda_api(); }

/// The current thread's capture.
struct ThreadCapture {
  const Driver* driver = nullptr;
  void* stream = nullptr;
  GraphMemorySource* memory = nullptr;
};
thread_local ThreadCapture of_this_thread;

}  // namespace

void* Driver::allocate(std::size_t bytes, void* stream) {
  if (bytes == 0) return nullptr;
  if (!memory_.add(bytes))
    throw Error(Code::out_of_memory,
                formatted("{} bytes were requested from {}: {} are in use, and its limit is set to {}", bytes,
                          info_.name, memory_.in_use(), memory_.limit()));
  try {
    return take(bytes, stream);
  } catch (const Error& error) {
    if (error.code() == Code::out_of_memory) return allocate_again(bytes, stream);
    memory_.remove(bytes);
    throw;
  }
}

void Driver::free(void* memory, std::size_t bytes, void* stream) noexcept {
  if (memory == nullptr) return;
  memory_.remove(bytes);
  if (had_allocator_) [[unlikely]]
    if (const std::shared_ptr<const Allocator> allocator = allocator_of(memory))
      return allocator->free(memory, bytes, stream);
  give_memory(memory, bytes, stream);
}

void Driver::set_allocator(Allocator allocator) {
  if (!allocator.allocate != !allocator.free)
    throw Error(Code::invalid_argument,
                formatted("the allocator of {} has only one of the functions allocate and free", info_.name));
  const std::lock_guard lock(allocator_mutex_);
  allocator_ = allocator.allocate ? std::make_shared<const Allocator>(std::move(allocator)) : nullptr;
  if (allocator_ != nullptr) had_allocator_ = true;
}

void* Driver::take(std::size_t bytes, void* stream) {
  if (!had_allocator_) [[likely]]
    return take_memory(bytes, stream);
  std::shared_ptr<const Allocator> allocator;
  {
    const std::lock_guard lock(allocator_mutex_);
    allocator = allocator_;
  }
  if (allocator == nullptr) return take_memory(bytes, stream);
  void* const memory = allocator->allocate(bytes, stream);
  if (memory == nullptr)
    throw Error(Code::out_of_memory,
                formatted("the program's own allocator has no memory of {}", info_.name));
  const std::lock_guard lock(allocator_mutex_);
  allocated_.insert_or_assign(memory, std::move(allocator));
  return memory;
}

std::shared_ptr<const Allocator> Driver::allocator_of(void* memory) noexcept {
  const std::lock_guard lock(allocator_mutex_);
  const auto found = allocated_.extract(memory);
  return found.empty() ? nullptr : found.mapped();
}

void* Driver::allocate_again(std::size_t bytes, void* stream) {
  try {
    make_room();
    return take(bytes, stream);
  } catch (const Error& error) {
    memory_.remove(bytes);
    if (error.code() != Code::out_of_memory) throw;
    throw Error(Code::out_of_memory,
                formatted("{}; {} bytes were requested, {} are in use, {} cached, {} free", error.what(),
                          bytes, memory_.in_use(), cached_memory(), free_memory()));
  }
}

void Driver::make_room() noexcept {
  try {
    // The device must not be synchronized while one of its streams is captured.
    if (capture_memory() == nullptr)
      if (const std::unique_lock held(capture_mutex_, std::try_to_lock); held.owns_lock()) synchronize();
    trim_memory();
  } catch (const Error&) {
    // The device is in error, which the next call reports; no memory can be reclaimed.
  }
}

void Driver::begin_capture(void* stream, GraphMemorySource& memory) {
  std::unique_lock lock(capture_mutex_);
  start_capture(stream);
  of_this_thread = {this, stream, &memory};
  captures_.fetch_add(1, std::memory_order_relaxed);
  lock.release();
}

void* Driver::end_capture() {
  const std::lock_guard lock(capture_mutex_, std::adopt_lock);
  captures_.fetch_sub(1, std::memory_order_relaxed);
  return finish_capture(std::exchange(of_this_thread, {}).stream);
}

GraphMemorySource* Driver::capture_memory() const noexcept {
  return is_any_captured() && of_this_thread.driver == this ? of_this_thread.memory : nullptr;
}

int count_devices(DeviceKind kind) {
  if (kind == DeviceKind::cpu) return cpu_devices();
  try {
    int count = 0;
    const GpuApi& api = api_of(kind);
    return api.calls.device_count.function(&count) == 0 ? count : 0;
  } catch (const Error& error) {
    // A missing library or driver counts as 0 devices.
    if (error.code() != Code::unsupported) throw;
    return 0;
  }
}

std::unique_ptr<Driver> open_driver(DeviceKind kind, int ordinal, int threads) {
  if (kind == DeviceKind::cpu) {
    if (const int devices = cpu_devices(); ordinal >= devices)
      throw Error(Code::unsupported,
                  formatted("no device cpu.{}: there are as many as KERNELGEN_CPU_DEVICES says, {}", ordinal,
                            devices));
    return std::make_unique<CpuDriver>(threads);
  }
  const char* prefix = kind == DeviceKind::hip ? "hip" : "cuda";
  return std::make_unique<GpuDriver>(api_of(kind), formatted("{}:{}", prefix, ordinal), ordinal);
}

std::unique_ptr<Driver> open_simulated_driver(const std::string& processor) {
  const GpuApi& api = simulated_api();
  return std::make_unique<GpuDriver>(api, formatted("simulated:{}", processor),
                                     simulated_ordinal(api, processor));
}

}  // namespace kernelgen
