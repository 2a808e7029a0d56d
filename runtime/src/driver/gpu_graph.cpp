/// GPU graphs: the driver captures a stream.
#include <array>

#include "common/format.hpp"
#include "driver/gpu_driver.hpp"
#include "driver/gpu_numbers.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

/// Indexed by gpu::UpdateResult.
constexpr std::array<const char*, gpu::update_results> update_results = {
    "succeeded",
    "failed for a reason that the driver does not name",
    "has other nodes, or in another order",
    "has a node of another kind",
    "has another kernel in a node's place",
    "has parameters that cannot be changed",
    "has a node that cannot be changed",
    "has a kernel that cannot take a node's place",
    "has a node with other attributes"};

}  // namespace

void GpuDriver::start_capture(void* stream) {
  const char* missing = nullptr;
#define KERNELGEN_LOOK(member, hip, cuda, arguments) \
  if (!api_.calls.member) missing = api_.calls.member.name;
  KERNELGEN_GPU_GRAPH_CALLS(KERNELGEN_LOOK)
#undef KERNELGEN_LOOK
  if (missing != nullptr)
    throw Error(Code::unsupported,
                formatted("capture on {}: {} has no function {}; graphs need HIP 5.1 or CUDA 11.4", location_,
                          api_.library().path(), missing));
  if (is_capturing(stream))
    throw Error(Code::invalid_argument,
                formatted("capture on {}: the stream is being captured already, by functions of {}",
                          location_, api_.library().path()));
  // The thread may make any call during the capture: operations load modules and allocate memory on demand.
  call(api_.calls.begin_capture, stream, gpu::capture_relaxed);
}

void* GpuDriver::finish_capture(void* stream) {
  // Runs even if the device cannot be made current: a stream left in capture would invalidate all later work.
  const Current current(api_, context_);
  void* graph = nullptr;
  api_.invoke(api_.calls.end_capture, stream, &graph);
  return graph;
}

void GpuDriver::discard_graph(void* graph) noexcept {
  if (graph != nullptr) call_quietly(api_.calls.destroy_graph, graph);
}

std::size_t GpuDriver::count_nodes(void* graph) const {
  std::size_t count = 0;
  call(api_.calls.graph_nodes, graph, static_cast<void**>(nullptr), &count);
  return count;
}

ExecutableGraph GpuDriver::make_executable(void* graph) {
  ExecutableGraph executable{nullptr, count_nodes(graph)};
  call(api_.calls.instantiate_graph, &executable.handle, graph, 0ull);
  discard_graph(graph);
  return executable;
}

std::string GpuDriver::update_executable(ExecutableGraph& executable, void* graph) {
  const std::size_t nodes = count_nodes(graph);
  void* node = nullptr;
  int result = 1;
  const Current current(api_, context_);
  current.require();
  const int status = api_.calls.update_graph.function(executable.handle, graph, &node, &result);
  if (status == 0) {
    executable.nodes = nodes;
    discard_graph(graph);
    return {};
  }
  const auto index = static_cast<std::size_t>(result);
  return formatted("{}: error {}, {}: the new graph {}", api_.calls.update_graph.name, status,
                   api_.describe(status), index < update_results.size() ? update_results[index] : "differs");
}

void GpuDriver::launch_executable(const ExecutableGraph& executable, void* stream) {
  call(api_.calls.launch_graph, executable.handle, stream);
}

void GpuDriver::destroy_executable(const ExecutableGraph& executable, void* stream) noexcept {
  if (executable.handle == nullptr) return;
  if (!api_.constants.graphs_end_their_work) call_quietly(api_.calls.synchronize_stream, stream);
  call_quietly(api_.calls.destroy_executable, executable.handle);
}

}  // namespace kernelgen
