// Graphs of a stub driver: what is put into a stream that is captured, and done at each launch.
#include <mutex>
#include <utility>

#include "stub_gpu/stub_calls.hpp"

namespace kernelgen::test::stub_driver {

namespace {

constexpr int status_capture_unsupported = 900, status_capture_invalidated = 901, status_update_failure = 910;

}  // namespace

StubGpu::Graph* captured(void* stream) {
  const std::lock_guard lock(of_stub);
  const auto found = stub.captures.find(stream);
  return found == stub.captures.end() ? nullptr : &found->second;
}

int spoil(const char* function, StubGpu::Graph& graph) {
  graph.is_spoilt = true;
  stub.violations.emplace_back(function);
  return status_capture_unsupported;
}

int do_in(void* stream, const std::string& what, const std::function<void(void*)>& work) {
  if (StubGpu::Graph* graph = captured(stream))
    graph->nodes.push_back({what, work});
  else
    work(stream);
  return 0;
}

STUB(hipStreamBeginCapture, cuStreamBeginCapture_v2)(void* stream, int mode) {
  if (const int status = enter(__func__)) return status;
  if (stream == nullptr || captured(stream) != nullptr) return status_capture_unsupported;
  stub.capture_mode = mode;
  stub.captures[stream];
  return 0;
}

STUB(hipStreamEndCapture, cuStreamEndCapture)(void* stream, void** graph) {
  const StubGpu::Graph taken = stub.captures.at(stream);
  stub.captures.erase(stream);
  *graph = nullptr;
  if (const int status = enter(__func__)) return status;
  if (taken.is_spoilt) return status_capture_invalidated;
  *graph = new StubGpu::Graph(taken);
  stub.handles.insert(*graph);
  return 0;
}

STUB(hipGraphGetNodes, cuGraphGetNodes)(void* graph, void** nodes, std::size_t* count) {
  if (nodes != nullptr) return 1;
  *count = static_cast<StubGpu::Graph*>(graph)->nodes.size();
  return enter(__func__);
}

STUB(hipGraphInstantiateWithFlags, cuGraphInstantiateWithFlags)
(void** executable, void* graph, unsigned long long flags) {
  if (const int status = enter(__func__)) return status;
  if (flags != 0) return 1;
  *executable = new StubGpu::Graph(*static_cast<StubGpu::Graph*>(graph));
  stub.handles.insert(*executable);
  return 0;
}

/// Takes other arguments of the same nodes.
STUB(hipGraphExecUpdate, cuGraphExecUpdate)(void* executable, void* graph, void**, int* result) {
  if (const int status = enter(__func__)) return status;
  auto& mine = *static_cast<StubGpu::Graph*>(executable);
  const auto& other = *static_cast<StubGpu::Graph*>(graph);
  *result = mine.nodes.size() != other.nodes.size() ? 2 : 0;
  for (std::size_t i = 0; *result == 0 && i < mine.nodes.size(); ++i)
    if (mine.nodes[i].what != other.nodes[i].what) *result = 7;
  if (*result != 0) return status_update_failure;
  mine = other;
  return 0;
}

STUB(hipGraphLaunch, cuGraphLaunch)(void* executable, void* stream) {
  if (const int status = enter(__func__)) return status;
  for (const auto& node : static_cast<StubGpu::Graph*>(executable)->nodes) node.run(stream);
  return 0;
}

STUB(hipGraphDestroy, cuGraphDestroy)(void* graph) {
  stub.handles.erase(graph);
  delete static_cast<StubGpu::Graph*>(graph);
  return enter(__func__);
}

STUB(hipGraphExecDestroy, cuGraphExecDestroy)(void* executable) {
  stub.handles.erase(executable);
  delete static_cast<StubGpu::Graph*>(executable);
  return enter(__func__);
}

STUB(hipThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode)(int* mode) {
  std::swap(stub.thread_mode, *mode);
  return enter(__func__);
}

}  // namespace kernelgen::test::stub_driver
