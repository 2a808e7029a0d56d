#include "graphs.hpp"

#include <algorithm>
#include <cstring>

#include "host.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen::ggml {
namespace {

/// Programs alternate between a few graphs: prompts and tokens, and the splits of each.
constexpr std::size_t most_entries = 16;

void append(std::vector<std::uint64_t>& to, const Node& node) {
  to.push_back(static_cast<std::uint64_t>(node.type) << 32 | static_cast<std::uint32_t>(node.op));
  to.push_back(reinterpret_cast<std::uintptr_t>(node.data));
  to.insert(to.end(), std::begin(node.ne), std::end(node.ne));
  to.insert(to.end(), std::begin(node.nb), std::end(node.nb));
}

std::vector<std::uint64_t> describe(Graph* graph) {
  std::vector<std::uint64_t> all;
  const int count = host().graph_n_nodes(graph);
  for (int i = 0; i < count; ++i) {
    const Node& node = *host().graph_node(graph, i);
    append(all, node);
    all.push_back(static_cast<std::uint32_t>(node.flags));
    const std::size_t end = all.size();
    static_assert(sizeof node.op_params == parameter_count / 2 * sizeof all[0]);
    all.resize(end + parameter_count / 2);
    std::memcpy(&all[end], node.op_params, sizeof node.op_params);
    for (const Node* source : node.src) {
      all.push_back(source != nullptr);
      if (source != nullptr) append(all, *source);
    }
  }
  return all;
}

}  // namespace

void CapturedGraphs::run(const Device& device, const Stream& stream, Graph* graph,
                         const std::function<void()>& work) {
  std::vector<std::uint64_t> nodes = describe(graph);
  const auto found = std::ranges::find(entries_, nodes, &Entry::nodes);
  if (found == entries_.end()) {
    work();
    entries_.push_front({.nodes = std::move(nodes)});
    if (entries_.size() > most_entries) entries_.pop_back();
    return;
  }
  entries_.splice(entries_.begin(), entries_, found);
  Entry& entry = entries_.front();
  if (!entry.captured && entry.is_capturable) try {
      entry.captured = device.capture(stream, work);
    } catch (const Error& error) {
      if (error.code() == Code::out_of_memory || error.code() == Code::device) throw;
      entry.is_capturable = false;
    }
  if (entry.captured) return entry.captured.launch(stream);
  work();
}

}  // namespace kernelgen::ggml
