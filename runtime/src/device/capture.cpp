#include "device/capture.hpp"

#include <utility>

#include "common/format.hpp"
#include "device/stream.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// Cancels the capture if the thread ends before it does.
struct Current {
  std::unique_ptr<Capture> capture;
  ~Current() {
    if (capture != nullptr) Capture::cancel();
  }
};
thread_local Current current;

}  // namespace

Capture* Capture::of_this_thread() noexcept { return current.capture.get(); }

Capture::Capture(std::shared_ptr<DeviceState> state, const Stream& stream)
    : state_(std::move(state)),
      stream_(stream.impl_ != nullptr ? stream
                                      : Stream(std::make_shared<Stream::Impl>(state_, Priority::normal))),
      faults_(state_->index_faults().add_graph(stream_.native())),
      memory_(std::make_shared<GraphMemory>(state_, stream_)) {}

Capture::~Capture() {
  IndexFaults::end(*faults_);
  state_->driver().discard_graph(graph_);
  for (ReleasedMemory& memory : kept_) state_->release(std::move(memory));
}

void Capture::begin(std::shared_ptr<DeviceState> state, const Stream& stream) {
  if (current.capture != nullptr)
    throw Error(Code::invalid_argument,
                formatted("capture on {}: this thread captures a graph on {} already; end that first",
                          state->location(), current.capture->state_->location()));
  state->queue(stream);
  std::unique_ptr<Capture> capture(new Capture(std::move(state), stream));
  DeviceState& device = *capture->state_;
  device.driver().begin_capture(capture->stream_.native(), *capture->memory_);
  capture->mark_stream(true);
  const std::lock_guard lock(device.capture_mutex_);
  device.any_capture_ = capture.get();
  current.capture = std::move(capture);
}

std::unique_ptr<Capture> Capture::end(const DeviceState& state) {
  if (current.capture == nullptr || current.capture->state_.get() != &state)
    throw Error(Code::invalid_argument,
                formatted("the end of a capture on {}: this thread has begun none there", state.location()));
  std::unique_ptr<Capture> capture = std::move(current.capture);
  DeviceState& device = *capture->state_;
  {
    const std::lock_guard lock(device.capture_mutex_);
    device.any_capture_ = nullptr;
  }
  capture->mark_stream(false);
  std::erase_if(capture->uses_, [](const auto& known) { return known.second.memory.expired(); });
  try {
    capture->graph_ = device.driver().end_capture();
  } catch (const Error& error) {
    throw Error(error.code(), formatted("capture on {}: {}; something of the work cannot be part of a graph",
                                        device.location(), error.what()));
  }
  return capture;
}

void Capture::cancel() noexcept {
  if (current.capture == nullptr) return;
  try {
    end(*current.capture->state_);
  } catch (const Error&) {
    // The driver has nothing to discard in this case.
  }
}

void Capture::keep(ReleasedMemory memory) {
  if (!memory_->owns(memory.data)) kept_.push_back(std::move(memory));
}

void Capture::mark_stream(bool is_captured) {
  Timeline& queue = *stream_.impl_->timeline;
  const std::lock_guard lock(queue.mutex);
  queue.is_captured = is_captured;
}

void Capture::note(const std::shared_ptr<StorageUses>& memory, Access access, bool always) {
  Use& use = (always ? always_followed_ : uses_)[memory.get()];
  // A new object may have reused the address.
  if (use.memory.expired()) use = {memory, access};
  if (access == Access::write) use.access = access;
}

void Capture::order_launch(const Stream& stream) const {
  const auto add = [&](const Uses& uses) {
    for (const auto& [address, use] : uses)
      if (const std::shared_ptr<StorageUses> memory = use.memory.lock())
        memory->add(*state_, stream, use.access);
  };
  add(always_followed_);
  if (!state_->stream_order().is_followed()) return;
  add(uses_);
  for (const ReleasedMemory& memory : kept_) state_->order_after(stream, memory.stream);
}

ExecutableGraph Capture::make_executable() {
  const ExecutableGraph executable = state_->driver().make_executable(graph_);
  graph_ = nullptr;
  return executable;
}

std::string Capture::update(ExecutableGraph& executable) {
  std::string reason = state_->driver().update_executable(executable, graph_);
  if (reason.empty()) graph_ = nullptr;
  return reason;
}

void Capture::free_after(const Stream& stream) noexcept {
  if (!calls_.empty()) {
    try {
      state_->driver().synchronize_stream(stream.native());
    } catch (const Error&) {
      // The device is in error, which the next call reports; no driver call is made.
    }
  }
  state_->order_after(stream_, stream);
  for (const ReleasedMemory& memory : kept_) state_->order_after(memory.stream, stream);
}

}  // namespace kernelgen
