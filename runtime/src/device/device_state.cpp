#include "device/device_state.hpp"

#include "common/format.hpp"

#include <algorithm>
#include <utility>

#include "device/capture.hpp"
#include "device/stream.hpp"
#include "driver/host_memory.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

std::string describe_two(const DeviceState& a, const DeviceState& b) {
  if (a.location() != b.location())
    return formatted("the tensors are on {} and {}; copy one over first", a.location(), b.location());
  return formatted(
      "the tensors are on {} as opened with two packages, {} and {}, which makes two devices; open it with "
      "one "
      "package for both, or copy one over by to_host and from_host",
      a.location(), a.package().name(), b.package().name());
}

void refuse_foreign(const char* what, const DeviceState& given, const DeviceState& wanted) {
  throw Error(Code::invalid_argument,
              formatted("{} of {} (device id {}, with {}) was given to {} (device id {}, with {})", what,
                        given.location(), given.id(), given.package().name(), wanted.location(), wanted.id(),
                        wanted.package().name()));
}

DeviceState::DeviceState(DeviceKind kind, int ordinal, std::string location, std::unique_ptr<Driver> driver,
                         std::vector<Package> packages)
    : kind_(kind),
      ordinal_(ordinal),
      id_(next_id()),
      location_(std::move(location)),
      driver_(std::move(driver)),
      index_faults_(*driver_),
      stream_order_(*driver_),
      observer_(*driver_, location_),
      kernels_(std::move(packages), kind_, location_, *driver_, module_count_, observer_) {}

DeviceState::~DeviceState() = default;

void* DeviceState::handle_of(const Stream& stream) const {
  if (stream.impl_ == nullptr) return has_thread_streams_ ? thread_stream().native() : nullptr;
  if (stream.impl_->state.get() != this) [[unlikely]]
    refuse_foreign("a stream", *stream.impl_->state, *this);
  return stream.impl_->handle;
}

void* DeviceState::queue_beside_capture(const Stream& stream) const {
  void* const handle = handle_of(stream);
  if (const Capture* const mine = capture()) {
    if (stream.impl_ == nullptr || stream.impl_ == mine->stream().impl_) return mine->stream().native();
    throw Error(
        Code::invalid_argument,
        formatted("work for a stream of {}: this thread captures a graph in another stream; what is to be "
                  "part of the graph names that one or none, and other work comes before or after the "
                  "capture",
                  location_));
  }
  const std::lock_guard lock(capture_mutex_);
  if (is_captured(stream))
    throw Error(Code::invalid_argument,
                formatted("work for a stream of {}: another thread captures a graph in it; put the work into "
                          "another stream, or wait until the capture has ended",
                          location_));
  return handle;
}

Capture* DeviceState::capture() const noexcept {
  return driver_->capture_memory() != nullptr ? Capture::of_this_thread() : nullptr;
}

void DeviceState::refuse_in_own_capture(std::string_view what) const {
  if (capture() != nullptr)
    throw Error(
        Code::invalid_argument,
        formatted("{} on {}: this thread captures a graph, and that cannot be part of one; do it before "
                  "or after the capture",
                  what, location_));
}

void DeviceState::release(ReleasedMemory memory) noexcept {
  if (driver_->is_any_captured()) [[unlikely]] {
    const std::lock_guard lock(capture_mutex_);
    if (any_capture_ != nullptr && (any_capture_ == capture() || is_captured(memory)))
      return any_capture_->keep(std::move(memory));
  }
  const std::shared_ptr<Timeline>& writer =
      memory.stream.impl_ != nullptr ? memory.stream.impl_->timeline : stream_order_.default_queue();
  std::vector<std::shared_ptr<Timeline>>& queues = memory.readers;
  if (memory.owner != nullptr) {
    order_after(*stream_order_.default_queue(), writer);
    for (const std::shared_ptr<Timeline>& reader : queues)
      order_after(*stream_order_.default_queue(), reader);
  } else if (queues.empty()) {
    driver_->free(memory.data, memory.bytes, memory.stream.native());
  } else {
    queues.push_back(writer);
    driver_->free(memory.data, memory.bytes, stream_order_.queue_after(queues));
  }
}

void DeviceState::release_pinned(PinnedBlock block) noexcept {
  if (driver_->is_any_captured()) [[unlikely]] {
    const std::lock_guard lock(capture_mutex_);
    if (any_capture_ != nullptr &&
        std::ranges::count(block.queues, any_capture_->stream().impl_->timeline) != 0)
      return any_capture_->keep(std::shared_ptr<void>(
          block.data, [self = shared_from_this(), block](void*) { self->release_pinned(block); }));
  }
  driver_->free_pinned(block.data, block.bytes, stream_order_.queue_after(block.queues));
}

bool DeviceState::is_captured(const Stream& stream) const {
  return any_capture_ != nullptr && stream.impl_ == any_capture_->stream().impl_;
}

bool DeviceState::is_captured(const ReleasedMemory& memory) const {
  const std::shared_ptr<Timeline>& captured = any_capture_->stream().impl_->timeline;
  return is_captured(memory.stream) ||
         std::find(memory.readers.begin(), memory.readers.end(), captured) != memory.readers.end();
}

const std::shared_ptr<Timeline>& DeviceState::timeline(const Stream& stream) const {
  const Stream& own = resolved(stream);
  return own.impl_ != nullptr ? own.impl_->timeline : stream_order_.default_queue();
}

void DeviceState::order_after(const Stream& later, const Stream& earlier) noexcept {
  order_after(*timeline(later), timeline(earlier));
}

void DeviceState::order_after(Timeline& later, const std::shared_ptr<Timeline>& earlier) noexcept {
  try {
    stream_order_.order(later, earlier, Timeline::unknown);
  } catch (const Error&) {
    // The device is in error, which the next call reports; no work remains to wait for.
  }
}

const Stream& DeviceState::thread_stream() const {
  struct Entry {
    std::uint64_t device;
    Stream stream;
  };
  thread_local std::vector<Entry> mine;
  for (const Entry& entry : mine)
    if (entry.device == id_) return entry.stream;
  // DeviceState objects are never created const.
  const auto self = std::const_pointer_cast<DeviceState>(shared_from_this());
  self->stream_order_.add_stream();
  return mine.emplace_back(Entry{id_, Stream(std::make_shared<Stream::Impl>(self, Priority::normal))}).stream;
}

std::size_t DeviceState::most_host_bytes() { return most_host_memory(); }

const std::shared_ptr<FaultQueue>& DeviceState::fault_queue(const Stream& stream) {
  queue(stream);
  if (const Capture* const mine = capture()) return mine->faults();
  const Stream& own = resolved(stream);
  return own.impl_ != nullptr ? own.impl_->faults : index_faults_.of_this_thread();
}

void DeviceState::preload() {
  index_faults_.reserve();
  kernels_.preload();
}

std::shared_ptr<LoadedModule> DeviceState::load_module(std::span<const std::byte> code,
                                                       std::string_view name) {
  const ContentHash hash = content_hash(code);
  const std::lock_guard lock(custom_mutex_);
  std::erase_if(custom_, [](const CustomModule& known) { return known.module.expired(); });
  for (const CustomModule& known : custom_)
    if (known.hash == hash && known.bytes == code.size())
      if (std::shared_ptr<LoadedModule> module = known.module.lock()) return module;
  auto module = std::make_shared<LoadedModule>(*driver_, module_count_, code, name);
  custom_.push_back({hash, code.size(), module});
  return module;
}

void DeviceState::refuse_launch(const LoadedKernel& kernel, const LaunchShape& shape) const {
  if (has_too_many_threads(shape, kernel.most_threads))
    throw Error(
        Code::invalid_argument,
        formatted("launch of {} on {}: a block of {} x {} x {} threads is larger than the kernel is compiled "
                  "for, {}; launch more blocks of at most that many threads",
                  observer_.name_of(kernel.function), location_, shape.block[0], shape.block[1],
                  shape.block[2], kernel.most_threads));
  throw Error(
      Code::invalid_argument,
      formatted("launch on {}: a grid of {} x {} x {} blocks of {} x {} x {} threads runs nothing", location_,
                shape.grid[0], shape.grid[1], shape.grid[2], shape.block[0], shape.block[1], shape.block[2]));
}

std::span<const std::byte> DeviceState::without_padding(const LoadedKernel& kernel,
                                                        std::span<const std::byte> arguments) const {
  // A C struct of the arguments may have padding after the last one.
  const std::size_t wanted = kernel.argument_bytes, given = arguments.size();
  if (given < wanted || given - wanted >= 8)
    throw Error(Code::invalid_argument,
                formatted("launch of {} on {}: the kernel's arguments are {} bytes, those given {}",
                          observer_.name_of(kernel.function), location_, wanted, given));
  return arguments.first(wanted);
}

}  // namespace kernelgen
