/// The one member of Tensor that needs an operation, and so is not in tensor/: elements with gaps are copied together
/// on the device.
#include "device/device_state.hpp"
#include "kernelgen/ops.hpp"
#include "tensor/byte_size.hpp"

namespace kernelgen {

std::vector<std::byte> Tensor::to_host(const Stream& stream) const {
  std::vector<std::byte> bytes(byte_size(layout_, dtype_));
  DeviceState& state = state_of(device());
  if (!bytes.empty()) {
    const Tensor source = layout_.is_contiguous() ? *this : copy(*this, {.stream = stream});
    state.driver().copy_to_host(bytes.data(), source.data(), bytes.size(), stream.native());
  }
  state.index_faults().synchronize_stream(stream.native());
  return bytes;
}

}  // namespace kernelgen
