#include "backend.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>

#include "buffer.hpp"
#include "device.hpp"
#include "graphs.hpp"
#include "guarded.hpp"
#include "ops/fusion.hpp"
#include "ops/order.hpp"
#include "ops/table.hpp"

namespace kernelgen::ggml {
namespace {

/// Identifies back ends of this plug-in.
Guid guid = {0x6b, 0x67, 0x2d, 0x67, 0x67, 0x6d, 0x6c, 0x2d, 0x62, 0x61, 0x63, 0x6b, 0x65, 0x6e, 0x64, 0x31};

/// A back end and its context in one.
struct PluginBackend {
  Backend handle;
  PluginDevice& device;
  Workspace workspace;
  CapturedGraphs graphs = {};
};

PluginBackend& self(Backend* backend) { return *static_cast<PluginBackend*>(backend->context); }
const Stream& stream_of(Backend* backend) { return self(backend).workspace.stream; }

const char* get_name(Backend* backend) { return self(backend).device.name().c_str(); }

void synchronize(Backend* backend) {
  guarded("synchronize", [&] { stream_of(backend).synchronize(); });
}

void free_backend(Backend* backend) {
  synchronize(backend);
  delete &self(backend);
}

void set_tensor_async(Backend* backend, Node* node, const void* data, std::size_t offset, std::size_t size) {
  PluginDevice& device = self(backend).device;
  guarded("set_tensor_async", [&] {
    device.transfers().set(bytes_of_node(device.device(), *node, offset, size), data, stream_of(backend));
  });
}

void get_tensor_async(Backend* backend, const Node* node, void* data, std::size_t offset, std::size_t size) {
  PluginDevice& device = self(backend).device;
  guarded("get_tensor_async", [&] {
    device.transfers().get(data, bytes_of_node(device.device(), *node, offset, size), stream_of(backend));
  });
}

/// Copies between devices of the plug-in; others' ggml copies through the host.
bool cpy_tensor_async(Backend* from, Backend* to, const Node* source, Node* destination) {
  if (from->guid != &guid || to->guid != &guid) return false;
  PluginBackend &here = self(to), &there = self(from);
  if (owner_of(buffer_of(*source)) != &there.device || owner_of(buffer_of(*destination)) != &here.device)
    return false;
  const std::size_t size = host().nbytes(source);
  return guarded("cpy_tensor_async", [&] {
           const Tensor x = bytes_of_node(there.device.device(), *source, 0, size);
           const Tensor y = bytes_of_node(here.device.device(), *destination, 0, size);
           if (&here.device != &there.device)
             return copy_into(
                 y, to_device(x, here.device.device(), {.from = stream_of(from), .to = stream_of(to)}),
                 stream_of(to));
           const Device& device = here.device.device();
           if (from != to) device.wait(stream_of(to), device.record(stream_of(from)));
           copy_into(y, x, stream_of(to));
           // What the first back end writes to the memory next waits for the copy.
           if (from != to) device.wait(stream_of(from), device.record(stream_of(to)));
         }) == Status::success;
}

/// Set on nodes that have to be computed, by versions of ggml that know it.
constexpr std::int32_t compute_flag = 16;

bool is_flagged(const Node* node) { return (node->flags & compute_flag) != 0; }

/// The nodes that have to be executed, in order.
std::vector<const Node*> executed_nodes(const Graph& graph) {
  const std::span<Node* const> all = nodes_of(graph);
  const bool has_flags = std::ranges::any_of(all, is_flagged);
  std::vector<const Node*> nodes;
  nodes.reserve(all.size());
  std::ranges::copy_if(all, std::back_inserter(nodes), [&](const Node* node) {
    return (!has_flags || is_flagged(node)) && !is_empty(*node) && !is_view(*node);
  });
  return nodes;
}

void compute(Workspace& workspace, const Graph& graph) {
  const std::vector<const Node*> nodes = executed_nodes(graph);
  const auto forget_all = [&] {
    workspace.angles.clear();
    workspace.operands.clear();
  };
  forget_all();  // of a graph that failed
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = *nodes[i];
    if (const std::size_t fused = run_fused(workspace, graph, std::span(nodes).subspan(i))) {
      for (std::size_t k = i; k < i + fused; ++k) workspace.operands.forget(*nodes[k]);
      i += fused - 1;
      continue;
    }
    const Operation* const operation = find_operation(node);
    if (operation == nullptr)
      throw Error(Code::unsupported,
                  std::string(host().op_name(node.op)) + ": no such operation, as supports_op says");
    try {
      operation->run(Call(workspace, node));
    } catch (const Error& error) {
      throw Error(error.code(), std::string(operation->name) + " '" + node.name + "': " + error.what());
    }
    workspace.operands.forget(node);
  }
  forget_all();
}

Status graph_compute(Backend* backend, Graph* graph) {
  PluginBackend& to = self(backend);
  return guarded("graph_compute", [&] {
    to.graphs.run(to.device.device(), to.workspace.stream, *graph, [&] { compute(to.workspace, *graph); });
  });
}

/// Called by ggml's scheduler, if it knows this, before the nodes' results get memory.
void graph_optimize(Backend*, Graph* graph) { bring_together(*graph); }

/// The context of ggml's events.
using Recorded = std::optional<Event>;
Recorded& recorded(EventHandle* event) { return *static_cast<Recorded*>(event->context); }

void event_record(Backend* backend, EventHandle* event) {
  guarded("event_record",
          [&] { recorded(event) = self(backend).device.device().record(stream_of(backend)); });
}

void event_wait(Backend* backend, EventHandle* event) {
  if (!recorded(event)) return;
  guarded("event_wait", [&] { self(backend).device.device().wait(stream_of(backend), *recorded(event)); });
}

constexpr BackendCalls calls{.get_name = get_name,
                             .free = free_backend,
                             .set_tensor_async = set_tensor_async,
                             .get_tensor_async = get_tensor_async,
                             .set_tensor_2d_async = nullptr,
                             .get_tensor_2d_async = nullptr,
                             .cpy_tensor_async = cpy_tensor_async,
                             .synchronize = synchronize,
                             .graph_plan_create = nullptr,
                             .graph_plan_free = nullptr,
                             .graph_plan_update = nullptr,
                             .graph_plan_compute = nullptr,
                             .graph_compute = graph_compute,
                             .event_record = event_record,
                             .event_wait = event_wait,
                             .graph_optimize = graph_optimize};

}  // namespace

Backend* make_backend(DeviceHandle* handle, const char* /*parameters*/) {
  PluginDevice& device = device_of(handle);
  Backend* result = nullptr;
  guarded("a back end", [&] {
    auto backend = std::make_unique<PluginBackend>(
        PluginBackend{{&guid, calls, handle, nullptr},
                      device,
                      {.device = device.device(), .stream = device.device().new_stream()}});
    backend->handle.context = backend.get();
    result = &backend.release()->handle;
  });
  return result;
}

EventHandle* make_event(DeviceHandle* device) { return new EventHandle{device, new Recorded}; }

void free_event(DeviceHandle*, EventHandle* event) {
  delete &recorded(event);
  delete event;
}

void synchronize_event(DeviceHandle*, EventHandle* event) {
  if (recorded(event)) guarded("event_synchronize", [&] { recorded(event)->synchronize(); });
}

}  // namespace kernelgen::ggml
