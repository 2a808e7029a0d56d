#include "kernelgen/graph.hpp"

#include <mutex>
#include <utility>

#include "common/format.hpp"
#include "device/capture.hpp"
#include "device/graph_access.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

struct Graph::Impl {
  explicit Impl(std::unique_ptr<Capture> captured)
      : capture(std::move(captured)), executable(capture->make_executable()) {}
  ~Impl() {
    capture->state()->driver().destroy_executable(executable, last.native());
    if (is_launched) capture->free_after(last);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// A graph destroyed during another capture may own memory that capture reads.
  static void retire(Impl* impl) {
    if (Capture* const other = impl->state().capture())
      other->keep(std::shared_ptr<void>(impl, [](void* kept) { retire(static_cast<Impl*>(kept)); }));
    else
      delete impl;
  }

  DeviceState& state() const { return *capture->state(); }

  std::mutex mutex;
  std::unique_ptr<Capture> capture;
  ExecutableGraph executable;
  bool is_launched = false;
  Stream last;  ///< stream of the last launch
};

namespace {

void run(const std::function<void()>& work) {
  try {
    work();
  } catch (...) {
    Capture::cancel();
    throw;
  }
}

}  // namespace

Graph GraphAccess::end_new(const DeviceState& state) {
  return Graph(std::shared_ptr<Graph::Impl>(new Graph::Impl(Capture::end(state)), Graph::Impl::retire));
}

Graph::Update GraphAccess::end_update(const Graph& graph) {
  Graph::Impl& impl = graph.need("update");
  std::unique_ptr<Capture> next = Capture::end(impl.state());
  const std::lock_guard lock(impl.mutex);
  std::string reason = next->update(impl.executable);
  if (!reason.empty()) {
    const ExecutableGraph other = next->make_executable();
    impl.state().driver().destroy_executable(std::exchange(impl.executable, other), impl.last.native());
  }
  const std::unique_ptr<Capture> replaced = std::exchange(impl.capture, std::move(next));
  if (impl.is_launched) replaced->free_after(impl.last);
  return {reason.empty(), std::move(reason)};
}

void GraphAccess::begin_update(const Graph& graph) {
  const Graph::Impl& impl = graph.need("update");
  Capture::begin(impl.capture->state(), impl.capture->stream());
}

void GraphAccess::begin(const Device& device, const Stream& stream) { Capture::begin(device.state_, stream); }

Graph Device::capture(const Stream& stream, const std::function<void()>& work) const {
  GraphAccess::begin(*this, stream);
  run(work);
  return GraphAccess::end_new(*state_);
}

Graph Device::capture(const std::function<void()>& work) const { return capture({}, work); }

Graph::Impl& Graph::need(const char* what) const {
  if (impl_ == nullptr)
    throw Error(Code::invalid_argument,
                formatted("{} of a graph that holds nothing: Device::capture makes one", what));
  return *impl_;
}

void Graph::launch(const Stream& stream) const {
  Impl& impl = need("launch");
  DeviceState& state = impl.state();
  state.refuse_in_capture("a graph's launch");
  void* const queue = state.queue(stream);
  const std::lock_guard lock(impl.mutex);
  impl.capture->order_launch(stream);
  const auto put = [&] { state.driver().launch_executable(impl.executable, queue); };
  if (state.observer().is_on()) [[unlikely]]
    state.observer().around({formatted("graph of {} nodes", impl.executable.nodes), {}, 0, queue, false},
                            put);
  else
    put();
  impl.is_launched = true;
  impl.last = state.resolved(stream);
  IndexFaults::launched(impl.capture->faults(), *state.fault_queue(stream));
}

Graph::Update Graph::update(const std::function<void()>& work) const {
  GraphAccess::begin_update(*this);
  run(work);
  return GraphAccess::end_update(*this);
}

std::size_t Graph::nodes() const {
  Impl& impl = need("nodes");
  const std::lock_guard lock(impl.mutex);
  return impl.executable.nodes;
}

std::size_t Graph::memory() const {
  Impl& impl = need("memory");
  const std::lock_guard lock(impl.mutex);
  return impl.capture->memory().bytes();
}

}  // namespace kernelgen
