#include "ops/fusion.hpp"

#include <vector>

/// Products of one token's activations with several matrices: queries, keys and values, or the gate and what it is multiplied by.
namespace kernelgen::ggml {
namespace {

Tensor flat(const Call& call, const Node& node) { return call.view(node).reshape({elements(node)}); }

/// Whether the result may be written while the operands of both are read.
bool is_apart(const Node& result, const Node& product) {
  return !do_overlap(result, *product.src[0]) && !do_overlap(result, *product.src[1]);
}

/// Whether the first three nodes are the two products and the first one's function, or the second one's, times the other.
bool is_gated_product(const Graph& graph, Nodes nodes) {
  if (nodes.size() < 3 || !gate_of(*nodes[2])) return false;
  const Node &first = *nodes[0], &second = *nodes[1], &result = *nodes[2];
  const bool is_of_both = (result.src[0] == &first && result.src[1] == &second) ||
                          (result.src[0] == &second && result.src[1] == &first);
  return is_of_both && is_used_once(graph, first) && is_used_once(graph, second) &&
         is_same_shape(first, second) && is_f32(&result) && is_contiguous(result) &&
         is_apart(result, first) && is_apart(result, second);
}

}  // namespace

bool are_products_of_one_vector(const Node& a, const Node& b) {
  const auto is_product = [](const Node& node) {
    if (!is_named(node, "MUL_MAT") || !is_f32(&node)) return false;
    const Node &weights = *node.src[0], &x = *node.src[1];
    return (is_type(&weights, {Type::f16, Type::bf16}) || is_block_type(&weights)) && is_f32(&x) &&
           elements(x) == x.ne[0] && weights.ne[2] == 1 && weights.ne[3] == 1 && is_viewable(weights) &&
           is_contiguous(x) && is_contiguous(node);
  };
  return a.src[1] == b.src[1] && is_product(a) && is_product(b) && a.src[0]->type == b.src[0]->type;
}

std::size_t run_products(Workspace& workspace, const Graph& graph, Nodes nodes) {
  if (nodes.size() < 2 || !are_products_of_one_vector(*nodes[0], *nodes[1])) return 0;
  const Call call(workspace, *nodes[0]);
  if (is_gated_product(graph, nodes)) {
    const Node& result = *nodes[2];
    const Tensor out = flat(call, result);
    multiply_gated(flat(call, *nodes[0]->src[1]), matrix_of(call, *result.src[0]->src[0]),
                   matrix_of(call, *result.src[1]->src[0]), *gate_of(result),
                   {.stream = call.stream(), .out = &out});
    return 3;
  }
  std::size_t count = 1;
  const auto is_next = [&](const Node& next) {
    if (!are_products_of_one_vector(*nodes[0], next)) return false;
    for (std::size_t i = 0; i < count; ++i)
      if (do_overlap(next, *nodes[i]) || !is_apart(next, *nodes[i]) || !is_apart(*nodes[i], next))
        return false;
    return is_apart(next, next);
  };
  while (count < most_vector_products && count < nodes.size() && is_next(*nodes[count])) ++count;
  if (count == 1) return 0;
  std::vector<VectorProduct> products;
  for (const Node* const node : nodes.first(count))
    products.push_back({matrix_of(call, *node->src[0]), flat(call, *node)});
  multiply_vector(flat(call, *nodes[0]->src[1]), products, call.stream());
  return count;
}

}  // namespace kernelgen::ggml
