#include "kernelgen/tensor.hpp"

#include "common/format.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "device/device_state.hpp"
#include "device/storage_uses.hpp"
#include "kernelgen/error.hpp"
#include "tensor/byte_size.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

/// More elements than any address space holds.
constexpr std::int64_t out_of_sight = std::int64_t{1} << 57;

bool is_out_of_sight(std::int64_t step) { return step > out_of_sight || step < -out_of_sight; }

/// Blocks are complete and run along the last dim.
void check_blocks(DType dtype, Layout& layout, bool is_empty) {
  const std::int64_t block = block_elements(dtype);
  const std::size_t rank = layout.rank();
  bool are_whole = rank > 0 && layout.shape.back() % block == 0;
  if (are_whole && !is_empty) are_whole = layout.strides[rank - 1] == 1 && layout.offset % block == 0;
  for (std::size_t d = 0; !is_empty && d + 1 < rank; ++d) {
    if (layout.shape[d] == 1 && layout.strides[d] % block != 0) layout.strides[d] = 0;
    are_whole = are_whole && layout.strides[d] % block == 0;
  }
  if (!are_whole)
    throw Error(
        Code::invalid_argument,
        formatted(
            "tensor: {} of {}; its blocks of {} elements are along the last dim, which needs a stride of 1, "
            "and have to be whole: the last extent, the other strides and the offset are multiples of {}",
            layout.to_string(), name_of(dtype), block, block));
}

}  // namespace

Tensor::Tensor(std::shared_ptr<Storage> storage, DType dtype, Layout layout)
    : storage_(std::move(storage)), dtype_(dtype), layout_(layout) {
  for (std::int64_t extent : layout_.shape)
    if (extent < 0)
      throw Error(Code::invalid_argument,
                  formatted("tensor: shape {} has a negative extent", shape().to_string()));
  const bool is_empty = layout_.elements() == 0;
  const Layout::Extent range = layout_.extent();
  if (is_quantized(dtype)) check_blocks(dtype, layout_, is_empty);
  const auto capacity = block_elements(dtype) * static_cast<std::int64_t>(std::min<std::size_t>(
                                                    storage_->bytes() / size_of(dtype), out_of_sight / 256));
  if (!is_empty && (range.first < 0 || range.last >= capacity))
    throw Error(Code::invalid_argument,
                formatted("tensor: {} reaches elements {} to {} of a storage of {} {} elements",
                          layout_.to_string(), range.first, range.last, capacity, name_of(dtype)));
  const std::size_t alignment = alignment_of(dtype);
  if (!is_empty && reinterpret_cast<std::uintptr_t>(storage_->data()) % alignment != 0)
    throw Error(Code::invalid_argument,
                formatted("tensor: the memory at {} is not aligned to the {} bytes of {}; copy the elements "
                          "to an address that is",
                          storage_->data(), alignment, name_of(dtype)));
  // Normalizes unused strides: operations compute with them.
  for (std::size_t d = 0; d < layout_.rank(); ++d)
    if ((is_empty || layout_.shape[d] == 1) && is_out_of_sight(layout_.strides[d])) layout_.strides[d] = 0;
  if (is_empty && (layout_.offset < 0 || layout_.offset > capacity)) layout_.offset = 0;
}

Tensor Tensor::empty(const Device& device, const Shape& shape, DType dtype, const Stream& stream) {
  const Layout layout = Layout::contiguous(shape);
  return Tensor(Storage::allocate(device, byte_size(layout, dtype), stream), dtype, layout);
}

Tensor Tensor::zeros(const Device& device, const Shape& shape, DType dtype, const Stream& stream) {
  Tensor tensor = empty(device, shape, dtype, stream);
  const Storage& storage = *tensor.storage_;
  DeviceState& state = state_of(device);
  tensor.use(stream);
  if (storage.bytes() > 0) state.driver().fill(storage.data(), 0, storage.bytes(), state.queue(stream));
  return tensor;
}

namespace {

/// Copies a few bytes to a GPU by way of pinned memory, so that the caller may free its own without a wait for the stream.
/// Whether it did.
bool upload_staged(const Tensor& tensor, std::span<const std::byte> bytes, const Stream& stream) {
  // A wait costs little beside the copy of more.
  constexpr std::size_t most_bytes = std::size_t{1} << 20;
  DeviceState& state = state_of(tensor.device());
  if (state.kind() == DeviceKind::cpu || bytes.size() > most_bytes) return false;
  Driver& driver = state.driver();
  void* const queue = state.queue(stream);
  const auto release = [&](void* memory) { driver.free_pinned(memory, bytes.size(), queue); };
  const std::unique_ptr<void, decltype(release)> staged(driver.allocate_pinned(bytes.size()), release);
  std::memcpy(staged.get(), bytes.data(), bytes.size());
  tensor.use(stream);
  driver.copy_to_device(tensor.data(), staged.get(), bytes.size(), queue);
  return true;
}

}  // namespace

Tensor Tensor::from_host(const Device& device, std::span<const std::byte> bytes, const Shape& shape,
                         DType dtype, const Stream& stream) {
  const std::size_t needed = byte_size(Layout::contiguous(shape), dtype);
  if (bytes.size() != needed)
    throw Error(Code::invalid_argument, formatted("from_host: {} bytes given; shape {} of {} takes {}",
                                                  bytes.size(), shape.to_string(), name_of(dtype), needed));
  state_of(device).refuse_in_capture("from_host: a copy of memory that the caller may change or free");
  Tensor tensor = empty(device, shape, dtype, stream);
  if (needed > 0 && !upload_staged(tensor, bytes, stream)) {
    // The caller may free the memory after this returns, so the copy must complete.
    void* const queue = state_of(device).queue(stream);
    state_of(device).driver().copy_to_device(tensor.data(), bytes.data(), needed, queue);
    state_of(device).driver().synchronize_stream(queue);
    if (state_of(device).follows_uses()) tensor.storage_->uses().set_done();
  }
  return tensor;
}

void* Tensor::data() const {
  return static_cast<std::byte*>(storage_->data()) + bytes_of(dtype_, layout_.offset);
}

}  // namespace kernelgen
