#include "graphs.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "kernelgen/error.hpp"

namespace kernelgen::ggml {
namespace {

/// Programs alternate between a few graphs: prompts and tokens, and the splits of each.
constexpr std::size_t most_entries = 16;

/// What work depends on of a node that it reads. All bytes are members, so that they can be compared.
struct Operand {
  explicit Operand(const Node& node) : type(node.type), op(node.op), data(node.data) {
    std::ranges::copy(node.ne, ne);
    std::ranges::copy(node.nb, nb);
  }
  Type type;
  int op;
  const void* data;
  std::int64_t ne[max_dims];
  std::size_t nb[max_dims];
};

/// The same of one that it executes.
struct Executed {
  explicit Executed(const Node& node) : result(node), flags(node.flags) {
    std::ranges::copy(node.op_params, parameters);
    for (std::size_t i = 0; i < max_sources; ++i) sources |= (node.src[i] != nullptr ? 1u : 0u) << i;
  }
  Operand result;
  std::int32_t flags;
  std::uint32_t sources = 0;  ///< bit i: source i exists
  std::int32_t parameters[parameter_count];
};
static_assert(std::has_unique_object_representations_v<Operand> &&
              std::has_unique_object_representations_v<Executed>);

/// Calls take() with all that the graph's work depends on, part by part, until one call returns false; returns whether none did.
template <class Take>
bool describe(const Graph& graph, Take take) {
  for (const Node* const node : nodes_of(graph)) {
    if (!take(Executed(*node))) return false;
    for (const Node* const source : node->src)
      if (source != nullptr && !take(Operand(*source))) return false;
  }
  return true;
}

std::vector<std::byte> description_of(const Graph& graph) {
  std::vector<std::byte> all;
  describe(graph, [&](const auto& part) {
    const auto bytes = std::as_bytes(std::span(&part, 1));
    all.insert(all.end(), bytes.begin(), bytes.end());
    return true;
  });
  return all;
}

/// Compares without a copy: this happens before each token's work.
bool is_described(const Graph& graph, std::span<const std::byte> by) {
  const bool is_same = describe(graph, [&](const auto& part) {
    if (by.size() < sizeof part || std::memcmp(by.data(), &part, sizeof part) != 0) return false;
    by = by.subspan(sizeof part);
    return true;
  });
  return is_same && by.empty();
}

}  // namespace

void CapturedGraphs::run(const Device& device, const Stream& stream, const Graph& graph,
                         const std::function<void()>& work) {
  const auto found = std::ranges::find_if(
      entries_, [&](const Entry& entry) { return is_described(graph, entry.description); });
  if (found == entries_.end()) {
    work();
    entries_.push_front({.description = description_of(graph)});
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
