#include "kernelgen/tensor.hpp"

#include "common/format.hpp"

#include "device/device_state.hpp"
#include "kernelgen/error.hpp"
#include "tensor/byte_size.hpp"

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

Tensor Tensor::empty(const Device& device, const Shape& shape, DType dtype, const Stream& stream) {
  const Layout layout = Layout::contiguous(shape);
  return Tensor(Storage::allocate(device, byte_size(layout, dtype), stream), dtype, layout);
}

Tensor Tensor::zeros(const Device& device, const Shape& shape, DType dtype, const Stream& stream) {
  Tensor tensor = empty(device, shape, dtype, stream);
  const Storage& storage = *tensor.storage_;
  if (storage.bytes() > 0)
    state_of(device).driver().fill(storage.data(), 0, storage.bytes(), stream.native());
  return tensor;
}

Tensor Tensor::from_host(const Device& device, std::span<const std::byte> bytes, const Shape& shape,
                         DType dtype, const Stream& stream) {
  const std::size_t needed = byte_size(Layout::contiguous(shape), dtype);
  if (bytes.size() != needed)
    throw Error(Code::invalid_argument, fmt::format("from_host: {} bytes given; shape {} of {} takes {}",
                                                    bytes.size(), shape.to_string(), name_of(dtype), needed));
  Tensor tensor = empty(device, shape, dtype, stream);
  if (needed > 0) {
    // The caller's memory may go when this returns, so the copy has to be done by then.
    state_of(device).driver().copy_to_device(tensor.data(), bytes.data(), needed, stream.native());
    state_of(device).driver().synchronize_stream(stream.native());
  }
  return tensor;
}

void* Tensor::data() const {
  return static_cast<std::byte*>(storage_->data()) +
         layout_.offset * static_cast<std::int64_t>(size_of(dtype_));
}

}  // namespace kernelgen
