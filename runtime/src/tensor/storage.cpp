#include "device/capture.hpp"
#include "device/storage_uses.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/tensor.hpp"

namespace kernelgen {

Storage::Storage(Device device, void* data, std::size_t bytes, std::shared_ptr<void> owner, Stream stream,
                 Access access)
    : device_(std::move(device)),
      data_(data),
      bytes_(bytes),
      owner_(std::move(owner)),
      stream_(std::move(stream)),
      access_(access) {}

std::shared_ptr<Storage> Storage::allocate(const Device& device, std::size_t bytes, const Stream& stream) {
  DeviceState& state = state_of(device);
  void* const queue = state.queue(stream);
  if (const Capture* const capture = state.capture()) {
    std::shared_ptr<void> block = capture->memory().take(bytes);
    void* const of_graph = block.get();
    return borrow(device, of_graph, bytes, std::move(block));
  }
  void* data = state.driver().allocate(bytes, queue);
  return std::shared_ptr<Storage>(
      new Storage(device, data, bytes, nullptr, state.resolved(stream), Access::write));
}

std::shared_ptr<Storage> Storage::borrow(const Device& device, void* data, std::size_t bytes,
                                         std::shared_ptr<void> owner, Access access) {
  return std::shared_ptr<Storage>(new Storage(device, data, bytes, std::move(owner), {}, access));
}

Storage::~Storage() {
  ReleasedMemory memory{data_, bytes_, std::move(stream_), std::move(owner_), {}};
  if (const std::unique_ptr<StorageUses> uses(uses_.load()); uses != nullptr) {
    memory.stream = uses->writer();
    memory.readers = uses->readers();
  }
  state_of(device_).release(std::move(memory));
}

StorageUses& Storage::uses() {
  StorageUses* known = uses_.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto made = std::make_unique<StorageUses>(stream_);
  if (uses_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *known;
}

void Storage::use(const Stream& stream, Access access) {
  if (access == Access::write && is_read_only())
    throw Error(
        Code::invalid_argument,
        "the memory to write to is read-only, as its owner lent it; copy the tensor and write to the copy");
  DeviceState& state = state_of(device_);
  state.queue(stream);
  if (!state.follows_uses()) return;
  if (Capture* const capture = state.capture())
    capture->note({shared_from_this(), &uses()}, access);
  else
    uses().add(state, stream, access);
}

std::size_t Storage::readers() const {
  const StorageUses* const uses = uses_.load(std::memory_order_acquire);
  return uses != nullptr ? uses->readers().size() : 0;
}

}  // namespace kernelgen
