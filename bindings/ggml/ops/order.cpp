#include "ops/order.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "ops/fusion.hpp"
#include "ops/table.hpp"

/// The order of nodes: ggml's, but for nodes that are computed together.
namespace kernelgen::ggml {
namespace {

/// Nodes between two that are brought together, such as norms, products, biases and views of one layer's queries, keys and
/// values.
constexpr std::size_t most_between = 24;

/// What has the memory of the node.
const Node* owner_of(const Node& node) { return node.view_src != nullptr ? node.view_src : &node; }

bool is_read(const Node* owner, const Node& by) {
  return std::ranges::any_of(
      by.src, [&](const Node* source) { return source != nullptr && owner_of(*source) == owner; });
}

/// Whether the nodes' order does not matter: neither writes what the other reads or writes.
bool are_independent(const Node& a, const Node& b) {
  const auto is_needed = [](const Node& written, const Node& by) {
    const Node* const owner = owner_of(written);
    return (owner == owner_of(by) || is_read(owner, by)) && !is_view(written);
  };
  return !is_needed(a, b) && !is_needed(b, a);
}

/// The nodes that are no views.
std::vector<const Node*> executed(std::span<Node* const> nodes) {
  std::vector<const Node*> all;
  std::ranges::copy_if(nodes, std::back_inserter(all), [](const Node* node) { return !is_view(*node); });
  return all;
}

/// Moves the first node, queries that are rotated, just before keys that are rotated by the same angles and stored.
void delay_queries(std::span<Node*> nodes) {
  for (std::size_t i = 1; i < nodes.size() && are_independent(*nodes[0], *nodes[i]); ++i)
    if (are_rotated_alike(*nodes[0], *nodes[i])) {
      if (are_stored_keys(executed(nodes.subspan(i))))
        std::rotate(nodes.begin(), nodes.begin() + 1, nodes.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    }
}

/// Moves products of the vector that the first node multiplies just after it.
void collect_products(std::span<Node*> nodes) {
  std::size_t next = 1;
  for (std::size_t i = next; i < nodes.size(); ++i) {
    if (!are_products_of_one_vector(*nodes[0], *nodes[i])) continue;
    const auto between = nodes.subspan(next, i - next);
    if (!std::ranges::all_of(between, [&](const Node* node) { return are_independent(*node, *nodes[i]); }))
      return;
    const auto moved = nodes.subspan(next, i + 1 - next);
    std::rotate(moved.begin(), moved.end() - 1, moved.end());
    ++next;
  }
}

}  // namespace

void bring_together(Graph& graph) {
  const std::span<Node*> nodes = nodes_of(graph);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto ahead = nodes.subspan(i, std::min(nodes.size() - i, 2 + most_between));
    if (is_named(*nodes[i], "ROPE")) delay_queries(ahead);
    if (are_products_of_one_vector(*nodes[i], *nodes[i])) collect_products(ahead);
  }
}

}  // namespace kernelgen::ggml
