#include "device/device_state.hpp"
#include "kernelgen/tensor.hpp"

namespace kernelgen {

Storage::Storage(Device device, void* data, std::size_t bytes, std::shared_ptr<void> owner, Stream stream)
    : device_(std::move(device)),
      data_(data),
      bytes_(bytes),
      owner_(std::move(owner)),
      stream_(std::move(stream)) {}

std::shared_ptr<Storage> Storage::allocate(const Device& device, std::size_t bytes, const Stream& stream) {
  DeviceState& state = state_of(device);
  void* data = state.driver().allocate(bytes, state.queue(stream));
  return std::shared_ptr<Storage>(new Storage(device, data, bytes, nullptr, stream));
}

std::shared_ptr<Storage> Storage::borrow(const Device& device, void* data, std::size_t bytes,
                                         std::shared_ptr<void> owner) {
  return std::shared_ptr<Storage>(new Storage(device, data, bytes, std::move(owner), {}));
}

Storage::~Storage() {
  if (!owner_) state_of(device_).driver().free(data_, bytes_, stream_.native());
}

}  // namespace kernelgen
