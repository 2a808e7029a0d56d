#include "kernelgen/transfer.hpp"

#include "common/format.hpp"
#include "device/capture.hpp"
#include "device/device_state.hpp"
#include "device/storage_uses.hpp"
#include "kernelgen/error.hpp"
#include "ops/operand.hpp"
#include "ops/output.hpp"
#include "tensor/byte_size.hpp"

namespace kernelgen {

struct PinnedMemory::Impl {
  Impl(const Device& of, std::size_t size)
      : device(of), bytes(size), data(state_of(of).driver().allocate_pinned(size)) {
    uses.set_done();
  }
  ~Impl() {
    DeviceState& state = state_of(device);
    PinnedBlock block{data, bytes, uses.readers()};
    block.queues.push_back(state.timeline(uses.writer()));
    if (data != nullptr) state.release_pinned(std::move(block));
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  const Device device;
  const std::size_t bytes;
  void* const data;
  StorageUses uses{Stream()};
};

struct PinnedAccess {
  /// Checks the memory from `offset` on and declares its use by the stream, for a copy from or to the tensor.
  static std::byte* use(std::string_view name, const Tensor& tensor, const PinnedMemory& memory,
                        std::size_t offset, const Stream& stream, Access access) {
    if (!tensor) invalid(formatted("{}: the tensor is default-constructed", name));
    if (!memory) invalid(formatted("{}: the memory is default-constructed", name));
    PinnedMemory::Impl& impl = *memory.impl_;
    DeviceState& state = state_of(tensor.device());
    if (!(impl.device == tensor.device()))
      invalid(formatted("{}: {}", name, describe_two(state_of(impl.device), state)));
    const std::size_t bytes = byte_size(tensor.layout(), tensor.dtype());
    if (offset > impl.bytes || bytes > impl.bytes - offset)
      invalid(formatted("{}: {} {} takes {} bytes; the memory has {} from byte {} on", name,
                        name_of(tensor.dtype()), tensor.shape().to_string(), bytes,
                        impl.bytes - std::min(offset, impl.bytes), offset));
    check_stream(tensor.device(), stream);
    if (Capture* const capture = state.capture()) {
      capture->keep(std::static_pointer_cast<void>(memory.impl_));
      capture->note({memory.impl_, &impl.uses}, access, true);
    } else {
      impl.uses.add(state, stream, access);
    }
    return static_cast<std::byte*>(impl.data) + offset;
  }
};

PinnedMemory::PinnedMemory(const Device& device, std::size_t bytes)
    : impl_(std::make_shared<Impl>(device, bytes)) {}

std::span<std::byte> PinnedMemory::bytes() const {
  if (impl_ == nullptr) return {};
  return {static_cast<std::byte*>(impl_->data), impl_->bytes};
}

void upload(const Tensor& destination, const PinnedMemory& source, std::size_t offset, const Stream& stream) {
  const std::byte* const from =
      PinnedAccess::use("upload", destination, source, offset, stream, Access::read);
  if (!destination.layout().is_contiguous())
    invalid(formatted("upload: the tensor is {}; it has to be contiguous", destination.layout().to_string()));
  destination.use(stream, Access::write);
  DeviceState& state = state_of(destination.device());
  if (destination.elements() != 0)
    state.driver().copy_to_device(destination.data(), from,
                                  byte_size(destination.layout(), destination.dtype()), state.queue(stream));
}

void download(const PinnedMemory& destination, const Tensor& source, std::size_t offset,
              const Stream& stream) {
  std::byte* const to = PinnedAccess::use("download", source, destination, offset, stream, Access::write);
  const Tensor elements = make_contiguous(source, stream);
  elements.use(stream, Access::read);
  DeviceState& state = state_of(source.device());
  if (source.elements() != 0)
    state.driver().copy_to_host(to, elements.data(), byte_size(source.layout(), source.dtype()),
                                state.queue(stream));
}

namespace {

/// Makes a stream of one device wait for the work enqueued on another device's stream.
void order(DeviceState& later, const Stream& waiting, DeviceState& earlier, const Stream& awaited) {
  Driver& driver = earlier.driver();
  const auto destroy = [&](void* event) { driver.destroy_event(event); };
  const std::unique_ptr<void, decltype(destroy)> event(driver.record_event(earlier.queue(awaited)), destroy);
  later.driver().wait_event(later.queue(waiting), event.get());
}

}  // namespace

Tensor to_device(const Tensor& x, const Device& device, const PeerOptions& options) {
  constexpr std::string_view name = "to_device";
  if (!x) invalid(formatted("{}: x is a default-constructed Tensor", name));
  if (x.device() == device) {
    check_stream(device, options.to);
    return copy(x, {.stream = options.from});
  }
  DeviceState &mine = state_of(x.device()), &other = state_of(device);
  mine.refuse_in_capture("a copy to another device");
  other.refuse_in_capture("a copy from another device");
  check_stream(x.device(), options.from);
  check_stream(device, options.to);
  const Tensor elements = make_contiguous(x, options.from);
  Tensor result = Tensor::empty(device, x.shape(), x.dtype(), options.to);
  const std::size_t bytes = byte_size(result.layout(), result.dtype());
  if (bytes == 0) return result;
  elements.use(options.from, Access::read);
  result.use(options.to, Access::write);
  if (device.kind() == x.device().kind()) {
    order(mine, options.from, other, options.to);
    if (mine.driver().copy_to_peer(other.driver(), result.data(), elements.data(), bytes,
                                   mine.queue(options.from))) {
      order(other, options.to, mine, options.from);
      return result;
    }
  }
  void* const from = mine.queue(options.from);
  if (device.kind() == DeviceKind::cpu) {
    mine.driver().copy_to_host(result.data(), elements.data(), bytes, from);
    mine.driver().synchronize_stream(from);
    return result;
  }
  const PinnedMemory between(device, bytes);
  mine.driver().copy_to_host(between.bytes().data(), elements.data(), bytes, from);
  mine.driver().synchronize_stream(from);
  upload(result, between, 0, options.to);
  return result;
}

}  // namespace kernelgen
