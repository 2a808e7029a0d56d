#include "device/capture.hpp"
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
  void* const queue = state.queue(stream);
  if (const Capture* const capture = state.capture()) {
    std::shared_ptr<void> block = capture->memory().take(bytes);
    void* const of_graph = block.get();
    return borrow(device, of_graph, bytes, std::move(block));
  }
  void* data = state.driver().allocate(bytes, queue);
  return std::shared_ptr<Storage>(new Storage(device, data, bytes, nullptr, stream));
}

std::shared_ptr<Storage> Storage::borrow(const Device& device, void* data, std::size_t bytes,
                                         std::shared_ptr<void> owner) {
  return std::shared_ptr<Storage>(new Storage(device, data, bytes, std::move(owner), {}));
}

Storage::~Storage() { state_of(device_).release({data_, bytes_, std::move(stream_), std::move(owner_)}); }

}  // namespace kernelgen
