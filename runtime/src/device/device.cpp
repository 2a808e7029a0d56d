#include "kernelgen/device.hpp"

#include "common/format.hpp"

#include "device/capture.hpp"
#include "device/device_state.hpp"
#include "device/registry.hpp"
#include "device/stream.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

struct Event::Impl {
  Impl(std::shared_ptr<DeviceState> device, const Stream& stream)
      : state(std::move(device)),
        timeline(state->timeline(stream)),
        moment(timeline->pass()),
        point(IndexFaults::point(state->fault_queue(stream))),
        handle(state->driver().record_event(state->queue(stream))) {}
  ~Impl() { state->driver().destroy_event(handle); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::shared_ptr<DeviceState> state;
  const std::shared_ptr<Timeline> timeline;
  const Timeline::Moment moment;
  IndexFaults::Point point;
  void* handle;
};

void Stream::synchronize() const {
  if (impl_ == nullptr)
    throw Error(Code::invalid_argument,
                "synchronize: a default-constructed Stream is the default queue of whatever device it is "
                "given to; call "
                "Device::synchronize instead");
  impl_->state->synchronize(*this);
}

void* Stream::native() const { return impl_ != nullptr ? impl_->handle : nullptr; }

void Event::synchronize() const {
  impl_->state->refuse_in_capture("waiting for an event");
  impl_->state->index_faults().synchronize_event(impl_->handle, impl_->point);
  impl_->timeline->set_done(impl_->moment);
}

double Event::milliseconds_since(const Event& start) const {
  if (start.impl_->state != impl_->state) refuse_foreign("an event", *start.impl_->state, *impl_->state);
  return impl_->state->driver().milliseconds_between(start.impl_->handle, impl_->handle);
}

Device Device::open(std::string_view name, const Package& package) {
  return Device(open_device(name, {&package, 1}));
}
Device Device::open(std::string_view name, std::span<const Package> packages) {
  return Device(open_device(name, packages));
}
int Device::count(DeviceKind kind) { return count_devices(kind); }

DeviceKind Device::kind() const { return state_->kind(); }
int Device::ordinal() const { return state_->ordinal(); }
std::uint64_t Device::id() const { return state_->id(); }
std::string Device::location() const { return state_->location(); }
std::string Device::name() const { return state_->driver().info().name; }
std::string Device::architecture() const { return state_->driver().info().architecture; }
std::string Device::target() const {
  return std::string(package().text(package().targets()[state_->kernels().target()].name));
}
std::size_t Device::total_memory() const { return state_->driver().info().total_memory; }
std::size_t Device::free_memory() const { return state_->driver().free_memory(); }

MemoryUse Device::memory_use() const {
  Driver& driver = state_->driver();
  const MemoryCount& count = driver.memory();
  return {count.in_use(),       count.peak(),   driver.cached_memory(),
          driver.free_memory(), total_memory(), count.limit()};
}

void Device::set_memory_limit(std::size_t bytes) const { state_->driver().memory().set_limit(bytes); }
void Device::reset_peak_memory() const { state_->driver().memory().reset_peak(); }
void Device::set_allocator(Allocator allocator) const {
  state_->driver().set_allocator(std::move(allocator));
}
void Device::trim_memory() const { state_->driver().trim_memory(); }
int Device::wave_size() const { return state_->driver().info().wave_size; }
int Device::compute_units() const { return state_->driver().info().compute_units; }
bool Device::supports_bf16() const { return state_->kernels().has_kernels_of("bf16"); }
const Package& Device::package() const { return state_->package(); }
std::span<const Package> Device::packages() const { return state_->kernels().packages(); }

Stream Device::new_stream(Priority priority) const {
  Stream stream(std::make_shared<Stream::Impl>(state_, priority));
  state_->stream_order().add_stream();
  return stream;
}

Stream Device::thread_stream() const { return state_->thread_stream(); }
void Device::use_thread_streams(bool own) const { state_->use_thread_streams(own); }
void Device::follow_streams(bool follow) const { state_->stream_order().set_wanted(follow); }
bool Device::follows_streams() const { return state_->stream_order().is_wanted(); }

Event Device::record(const Stream& stream) const {
  state_->refuse_in_capture("an event");
  return Event(std::make_shared<Event::Impl>(state_, stream));
}

void Device::wait(const Stream& stream, const Event& event) const {
  state_->refuse_in_capture("waiting for an event");
  void* const queue = state_->queue(stream);
  if (event.impl_->state != state_) refuse_foreign("an event", *event.impl_->state, *state_);
  state_->driver().wait_event(queue, event.impl_->handle);
  state_->timeline(stream)->set_after(event.impl_->timeline, event.impl_->moment);
}

void Device::call(std::function<void()> work, const Stream& stream) const {
  void* const queue = state_->queue(stream);
  if (!work) throw Error(Code::invalid_argument, formatted("call on {}: the function is empty", location()));
  using Work = std::function<void()>;
  auto kept = std::make_unique<Work>(std::move(work));
  if (Capture* const capture = state_->capture()) {
    state_->driver().call_host(queue, [](void* data) noexcept { (*static_cast<Work*>(data))(); }, kept.get());
    capture->keep_call(std::move(kept));
    return;
  }
  state_->driver().call_host(
      queue,
      [](void* data) noexcept {
        const std::unique_ptr<Work> once(static_cast<Work*>(data));
        (*once)();
      },
      kept.get());
  kept.release();
}

void Device::synchronize() const {
  state_->refuse_in_capture("waiting for the device");
  state_->index_faults().synchronize();
}
void Device::set_seed(std::uint64_t seed) const { state_->random().set_seed(seed); }
std::uint64_t Device::get_current_seed() const { return state_->random().seed(); }
void Device::preload() const { state_->preload(); }
Function Device::kernel(std::uint32_t id) const { return {&state_->kernels().kernel(id)}; }

std::uint32_t Device::find_kernel(std::string_view name) const {
  if (const auto id = state_->kernels().find_kernel(name)) return *id;
  throw Error(Code::not_found, formatted("kernel '{}' is in no package of {}; `kernel-gen ls` lists what is",
                                         name, location()));
}

void Device::on_launch(std::function<void(const LaunchInfo&)> look) const {
  state_->observer().set_callback(std::move(look));
}

void Device::launch(Function function, const LaunchShape& shape, std::span<const std::byte> arguments,
                    const Stream& stream) const {
  void* const queue = state_->queue(stream);
  if (function.handle == nullptr) [[unlikely]]
    throw Error(Code::invalid_argument, formatted("launch on {}: the function is empty", location()));
  state_->launch(*static_cast<const LoadedKernel*>(function.handle), shape, arguments, queue);
}

}  // namespace kernelgen
