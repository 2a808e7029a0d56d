#include "ops/fusion.hpp"

#include <algorithm>

#include "host.hpp"
#include "ops/table.hpp"

/// Nodes that one operation of the library computes; of them, norms with their weights, also of sums.
namespace kernelgen::ggml {

bool is_named(const Node& node, std::string_view name) { return host().op_name(node.op) == name; }

bool is_used_once(const Graph& graph, const Node& node) { return is_used(graph, node, 1); }

bool is_used(const Graph& graph, const Node& node, std::int32_t times) {
  const auto& head = reinterpret_cast<const GraphHead&>(graph);
  const HashSet& set = head.visited;
  if ((node.flags & output_flag) != 0 || set.size == 0) return false;
  std::size_t slot = (reinterpret_cast<std::uintptr_t>(&node) >> 4) % set.size;
  for (std::size_t i = 0; i < set.size; ++i, slot = (slot + 1) % set.size) {
    const bool is_taken = (set.used[slot / 32] >> slot % 32 & 1) != 0;
    if (!is_taken) return false;
    if (set.keys[slot] == &node) return head.use_counts[slot] == times;
  }
  return false;
}

bool is_all_of(const Node& node, const Node& of) {
  if (&node == &of) return true;
  return is_view(node) && node.src[0] == &of && node.data == of.data && is_contiguous(node) &&
         is_contiguous(of) && elements(node) == elements(of);
}

Tensor matrix_of(const Call& call, const Node& node) { return call.view(node).squeeze(0).squeeze(0); }

namespace {

bool is_f32_pair(const Node& node, const Node* a, const Node* b) {
  return is_f32(&node) && is_f32(a) && is_f32(b) && is_viewable(node) && is_viewable(*a) && is_viewable(*b);
}

/// The vector by which the product multiplies each row of the norm, or null.
const Node* weight_of(const Node& norm, const Node& product) {
  const Node *a = product.src[0], *b = product.src[1];
  if (!is_named(product, "MUL") || (a != &norm && b != &norm) || !is_f32_pair(product, a, b)) return nullptr;
  const Node& weight = a == &norm ? *b : *a;
  const bool is_row = elements(weight) == norm.ne[0] && weight.ne[0] == norm.ne[0];
  return is_row && is_same_shape(product, norm) ? &weight : nullptr;
}

/// Whether the first two of these nodes are a norm and its product with a weight.
bool is_weighted_norm(const Graph& graph, Nodes nodes) {
  return nodes.size() >= 2 && is_named(*nodes[0], "RMS_NORM") &&
         is_f32_pair(*nodes[0], nodes[0]->src[0], nodes[0]) && is_used_once(graph, *nodes[0]) &&
         weight_of(*nodes[0], *nodes[1]) != nullptr;
}

Tensor vector_of(const Call& call, const Node& weight) {
  return call.contiguous(call.view(weight)).reshape({weight.ne[0]});
}

void run_weighted_norm(Workspace& workspace, const Node& norm, const Node& product) {
  const Node& weight = *weight_of(norm, product);
  Node node = product;  // what the result must not overlap are the norm's operand and the weight
  node.src[0] = norm.src[0];
  node.src[1] = const_cast<Node*>(&weight);
  const Call call(workspace, node);
  call.write([&](const CallOptions& options) {
    return rms_norm(call.source(0), vector_of(call, weight), real(norm, 0), options);
  });
}

/// Whether the first three nodes are a sum of two tensors, its norm and the product with a weight, in memory that
/// add_rms_norm can write at once.
bool is_added_norm(const Graph& graph, Nodes nodes) {
  if (nodes.size() < 3 || !is_named(*nodes[0], "ADD") || !is_weighted_norm(graph, nodes.subspan(1)))
    return false;
  const Node &sum = *nodes[0], &norm = *nodes[1], &product = *nodes[2];
  const Node *a = sum.src[0], *b = sum.src[1], &weight = *weight_of(norm, product);
  if (norm.src[0] != &sum || !is_f32_pair(sum, a, b) || !is_same_shape(sum, *a) || !is_same_shape(sum, *b) ||
      !is_contiguous(sum) || !is_contiguous(product) || do_overlap(sum, product))
    return false;
  return std::ranges::all_of(std::to_array({&sum, &product}), [&](const Node* out) {
    const auto is_apart = [&](const Node* in) {
      return !do_overlap(*out, *in) || (in->data == out->data && is_contiguous(*in));
    };
    return is_apart(a) && is_apart(b) && !do_overlap(*out, weight);
  });
}

void run_added_norm(Workspace& workspace, Nodes nodes) {
  const Node &sum = *nodes[0], &norm = *nodes[1], &product = *nodes[2];
  const Call call(workspace, sum);
  const Tensor total = call.destination(), result = call.view(product);
  add_rms_norm(call.source(0), call.source(1), vector_of(call, *weight_of(norm, product)), real(norm, 0),
               {.stream = call.stream(), .sum = &total, .norm = &result});
}

std::size_t run_norm(Workspace& workspace, const Graph& graph, Nodes nodes) {
  if (is_weighted_norm(graph, nodes)) {
    run_weighted_norm(workspace, *nodes[0], *nodes[1]);
    return 2;
  }
  if (is_added_norm(graph, nodes)) {
    run_added_norm(workspace, nodes);
    return 3;
  }
  return 0;
}

}  // namespace

std::size_t run_fused(Workspace& workspace, const Graph& graph, Nodes nodes) {
  for (const auto run : {run_norm, run_rope_set_rows, run_products, run_experts})
    if (const std::size_t count = run(workspace, graph, nodes)) return count;
  return 0;
}

}  // namespace kernelgen::ggml
