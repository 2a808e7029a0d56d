#include "kernelgen/graph.hpp"

#include "device/capture.hpp"
#include "device/graph_access.hpp"
#include "handles.hpp"

using kernelgen::Capture;
using kernelgen::Graph;
using kernelgen::GraphAccess;
using kernelgen::state_of;
using namespace kernelgen::capi;

kernelgen_status kernelgen_graph_begin(const kernelgen_device* device, const kernelgen_stream* stream) {
  return guarded(__func__, [&] { GraphAccess::begin(need(device, "device").device, stream_of(stream)); });
}

kernelgen_status kernelgen_graph_end(const kernelgen_device* device, kernelgen_graph** graph) {
  return guarded(__func__, [&] {
    const auto& state = state_of(need(device, "device").device);
    give(graph, "graph", [&] { return GraphAccess::end_new(state); });
  });
}

void kernelgen_graph_cancel(void) { Capture::cancel(); }

kernelgen_status kernelgen_graph_begin_update(const kernelgen_graph* graph) {
  return guarded(__func__, [&] { GraphAccess::begin_update(need(graph, "graph").graph); });
}

kernelgen_status kernelgen_graph_end_update(const kernelgen_graph* graph, int* in_place) {
  return guarded(__func__, [&] {
    const Graph::Update update = GraphAccess::end_update(need(graph, "graph").graph);
    if (in_place != nullptr) *in_place = update.in_place ? 1 : 0;
  });
}

void kernelgen_graph_release(kernelgen_graph* graph) { delete graph; }

kernelgen_status kernelgen_graph_launch(const kernelgen_graph* graph, const kernelgen_stream* stream) {
  return guarded(__func__, [&] { need(graph, "graph").graph.launch(stream_of(stream)); });
}

kernelgen_status kernelgen_graph_describe(const kernelgen_graph* graph, kernelgen_graph_info* info) {
  return guarded(__func__, [&] {
    const Graph& made = need(graph, "graph").graph;
    need(info, "info") = {made.nodes(), made.memory()};
  });
}
