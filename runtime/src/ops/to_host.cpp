/// The only member of Tensor that needs an operation, and hence is not in tensor/: strided elements are made
/// contiguous on the device.
#include "common/format.hpp"
#include "device/device_state.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"
#include "tensor/byte_size.hpp"

namespace kernelgen {

std::vector<std::byte> Tensor::to_host(const Stream& stream) const {
  const std::size_t wanted = byte_size(layout_, dtype_);
  if (wanted > DeviceState::most_host_bytes())
    throw Error(Code::out_of_memory,
                formatted("to_host: {} {} takes {} bytes; this machine has memory for {}", name_of(dtype_),
                          shape().to_string(), wanted, DeviceState::most_host_bytes()));
  std::vector<std::byte> bytes(wanted);
  to_host(bytes, stream);
  return bytes;
}

void Tensor::to_host(std::span<std::byte> bytes, const Stream& stream) const {
  DeviceState& state = state_of(device());
  state.refuse_in_capture("to_host: a copy of what is not computed yet");
  void* const queue = state.queue(stream);
  if (const std::size_t wanted = byte_size(layout_, dtype_); bytes.size() != wanted)
    throw Error(Code::invalid_argument,
                formatted("to_host: {} {} has {} bytes, the memory {}", name_of(dtype_), shape().to_string(),
                          wanted, bytes.size()));
  if (!bytes.empty()) {
    use(stream, Access::read);
    const Tensor source = layout_.is_contiguous() ? *this : copy(*this, {.stream = stream});
    state.driver().copy_to_host(bytes.data(), source.data(), bytes.size(), queue);
  }
  state.synchronize(stream);
}

std::size_t Tensor::count_of(DType wanted) const {
  if (dtype_ != wanted)
    throw Error(Code::invalid_argument,
                formatted("to_vector: the tensor is {}, the vector {}; convert it by to_dtype",
                          name_of(dtype_), name_of(wanted)));
  return byte_size(layout_, dtype_) / size_of(dtype_);
}

}  // namespace kernelgen
