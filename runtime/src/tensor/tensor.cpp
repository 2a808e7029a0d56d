#include "kernelgen/tensor.hpp"

#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen {

Tensor::Tensor(std::shared_ptr<Storage> storage, DType dtype, Layout layout)
    : storage_(std::move(storage)), dtype_(dtype), layout_(std::move(layout)) {
  for (std::int64_t extent : layout_.shape)
    if (extent < 0)
      throw Error(Code::invalid_argument,
                  fmt::format("tensor: shape {} has a negative extent", shape().to_string()));
  const Layout::Extent range = layout_.extent();
  const auto capacity = static_cast<std::int64_t>(storage_->bytes() / size_of(dtype));
  if (range.first <= range.last && (range.first < 0 || range.last >= capacity))
    throw Error(Code::invalid_argument,
                fmt::format("tensor: {} reaches elements {} to {} of a storage of {} {} elements",
                            layout_.to_string(), range.first, range.last, capacity, name_of(dtype)));
}

namespace {
std::size_t bytes_for(const Layout& layout, DType dtype) {
  std::int64_t bytes;
  if (__builtin_mul_overflow(layout.elements(), static_cast<std::int64_t>(size_of(dtype)), &bytes))
    throw Error(Code::invalid_argument, fmt::format("tensor: shape {} of {} needs more than 2^63 - 1 bytes",
                                                    layout.shape.to_string(), name_of(dtype)));
  return static_cast<std::size_t>(bytes);
}
}  // namespace

Tensor Tensor::empty(const Device& device, const Shape& shape, DType dtype, const Stream& stream) {
  const Layout layout = Layout::contiguous(shape);
  return Tensor(Storage::allocate(device, bytes_for(layout, dtype), stream), dtype, layout);
}

Tensor Tensor::zeros(const Device& device, const Shape& shape, DType dtype, const Stream& stream) {
  Tensor tensor = empty(device, shape, dtype, stream);
  const Storage& storage = *tensor.storage_;
  if (storage.bytes() > 0) device.state().driver().fill(storage.data(), 0, storage.bytes(), stream.native());
  return tensor;
}

Tensor Tensor::from_host(const Device& device, std::span<const std::byte> bytes, const Shape& shape,
                         DType dtype, const Stream& stream) {
  const std::size_t needed = bytes_for(Layout::contiguous(shape), dtype);
  if (bytes.size() != needed)
    throw Error(Code::invalid_argument, fmt::format("from_host: {} bytes given; shape {} of {} takes {}",
                                                    bytes.size(), shape.to_string(), name_of(dtype), needed));
  Tensor tensor = empty(device, shape, dtype, stream);
  if (needed > 0) {
    // The caller's memory may go when this returns, so the copy has to be done by then.
    device.state().driver().copy_to_device(tensor.data(), bytes.data(), needed, stream.native());
    device.state().driver().synchronize_stream(stream.native());
  }
  return tensor;
}

std::vector<std::byte> Tensor::to_host(const Stream& stream) const {
  std::vector<std::byte> bytes(bytes_for(layout_, dtype_));
  if (bytes.empty()) {
    device().state().index_faults().synchronize_stream(stream.native());
    return bytes;
  }
  const Tensor source = layout_.is_contiguous() ? *this : copy(*this, {.stream = stream});
  device().state().driver().copy_to_host(bytes.data(), source.data(), bytes.size(), stream.native());
  device().state().index_faults().synchronize_stream(stream.native());
  return bytes;
}

void* Tensor::data() const {
  return static_cast<std::byte*>(storage_->data()) +
         layout_.offset * static_cast<std::int64_t>(size_of(dtype_));
}

}  // namespace kernelgen
