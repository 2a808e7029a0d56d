#include "kernelgen/experts.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "ops/fusion.hpp"
#include "ops/table.hpp"

/// Mixtures of experts: the choice of a token's experts, up to six nodes, and the weighted sum of their results, as many nodes as
/// experts, as one operation each.
namespace kernelgen::ggml {
namespace {

bool is_f32_matrix(const Node& node) {
  return is_f32(&node) && is_viewable(node) && node.ne[2] == 1 && node.ne[3] == 1;
}

/// The nodes of a choice of experts. Those after the weights are null where these are not divided by their sum.
struct Choice {
  const Node *probabilities, *order, *weights;
  const Node* sum = nullptr;
  const Node* least = nullptr;  ///< the sum, but at least so much
  const Node* quotient = nullptr;
  bool is_direct =
      true;  ///< whether weights are not written to their own memory first, since the result has that of logits

  const Node& logits() const { return *probabilities->src[0]; }
  const Node& ids() const { return *weights->src[1]; }
  const Node& result() const { return quotient ? *quotient : *weights; }
  std::int64_t tokens() const { return probabilities->ne[1]; }
  std::size_t count() const { return quotient == nullptr ? 3 : least == nullptr ? 5 : 6; }
};

bool is_plain_softmax(const Node& node) {
  return is_named(node, "SOFT_MAX") && is_f32_matrix(node) && is_f32_matrix(*node.src[0]) &&
         is_contiguous(node) && node.src[1] == nullptr && node.src[2] == nullptr && real(node, 0) == 1;
}

/// Whether the probabilities are read by the order and, as single elements, by the weights only; and of the order only the first
/// columns are read.
bool are_chosen(const Graph& graph, const Choice& choice) {
  const Node &probabilities = *choice.probabilities, &order = *choice.order, &weights = *choice.weights;
  if (!is_named(order, "ARGSORT") || order.src[0] != &probabilities || integer(order, 0) != 1) return false;
  if (!is_named(weights, "GET_ROWS") || !is_f32(&weights) || !is_contiguous(weights)) return false;
  const Node &table = *weights.src[0], &ids = choice.ids();
  const std::int64_t experts = probabilities.ne[0], tokens = choice.tokens(), k = ids.ne[0];
  return table.ne[0] == 1 && table.ne[1] == experts && table.ne[2] == tokens && table.ne[3] == 1 &&
         is_all_of(table, probabilities) && &table != &probabilities && is_used(graph, probabilities, 2) &&
         is_used_once(graph, table) && is_view(ids) && ids.src[0] == &order && ids.data == order.data &&
         is_viewable(ids) && ids.nb[0] == order.nb[0] && ids.nb[1] == order.nb[1] && ids.ne[1] == tokens &&
         ids.ne[2] == 1 && ids.ne[3] == 1 && k >= 1 && k <= std::min(experts, most_routed_experts) &&
         is_used_once(graph, order);
}

/// Adds the nodes from `nodes[3]` on to the choice, if they divide the weights by their sum.
void add_division(const Graph& graph, Nodes nodes, Choice& choice) {
  if (nodes.size() < 5 || !is_named(*nodes[3], "SUM_ROWS")) return;
  const Node &weights = *choice.weights, &sum = *nodes[3];
  const bool is_clamped = is_named(*nodes[4], "CLAMP");
  if (is_clamped && (nodes.size() < 6 || nodes[4]->src[0] != &sum || !is_used_once(graph, sum) ||
                     real(*nodes[4], 1) < std::numeric_limits<float>::max()))
    return;
  const Node &divisor = is_clamped ? *nodes[4] : sum, &quotient = is_clamped ? *nodes[5] : *nodes[4];
  const Node* const summed = sum.src[0];
  if (!is_named(quotient, "DIV") || quotient.src[0] != summed || quotient.src[1] != &divisor ||
      !is_all_of(*summed, weights) || summed == &weights || summed->ne[0] != choice.ids().ne[0] ||
      !is_f32_matrix(quotient) || !is_contiguous(quotient))
    return;
  if (!is_used_once(graph, weights) || !is_used(graph, *summed, 2) || !is_used_once(graph, divisor)) return;
  choice.sum = &sum;
  choice.least = is_clamped ? &divisor : nullptr;
  choice.quotient = &quotient;
}

std::optional<Choice> choice_of(const Graph& graph, Nodes nodes) {
  if (nodes.size() < 3 || !is_plain_softmax(*nodes[0])) return std::nullopt;
  Choice choice{nodes[0], nodes[1], nodes[2]};
  if (!are_chosen(graph, choice)) return std::nullopt;
  add_division(graph, nodes, choice);
  const auto is_apart = [&](const Node& written) {
    return !do_overlap(written, choice.logits()) && !do_overlap(written, choice.ids());
  };
  choice.is_direct = is_apart(choice.result());
  const bool is_possible =
      choice.is_direct || (is_apart(*choice.weights) && !do_overlap(*choice.weights, choice.result()));
  return is_possible && !do_overlap(choice.ids(), choice.logits()) ? std::optional(choice) : std::nullopt;
}

void run_choice(Workspace& workspace, const Choice& choice) {
  const Call call(workspace, choice.result());
  Routing routing{.is_normalized = choice.quotient != nullptr};
  if (choice.least != nullptr) routing.least = real(*choice.least, 0);
  const Shape shape{choice.tokens(), choice.ids().ne[0]};
  const Tensor result = call.destination().reshape(shape),
               weights = choice.is_direct ? result : call.view(*choice.weights).reshape(shape);
  route_experts(matrix_of(call, choice.logits()), matrix_of(call, choice.ids()), weights, routing,
                call.stream());
  if (!choice.is_direct) copy_into(result, weights, call.stream());
}

/// Whether the node is the results [n, k, tokens] of expert j only.
bool is_of_expert(const Node& node, const Node& results, std::int64_t j) {
  return is_view(node) && node.view_src == &results &&
         node.view_offs == static_cast<std::size_t>(j) * results.nb[1] && node.ne[0] == results.ne[0] &&
         node.ne[1] == results.ne[2] && node.ne[2] == 1 && node.ne[3] == 1 && node.nb[0] == results.nb[0] &&
         node.nb[1] == results.nb[2];
}

/// Whether the nodes are the product of experts' results and their weights, and its sum over the experts, one after the other.
bool is_weighted_sum(const Graph& graph, Nodes nodes) {
  const Node& product = *nodes[0];
  if (!is_named(product, "MUL") || !is_f32(&product) || product.view_src != nullptr || product.ne[3] != 1)
    return false;
  const Node &x = *product.src[0], &weights = *product.src[1];
  const std::int64_t k = product.ne[1];
  if (!is_f32(&x) || !is_f32(&weights) || !is_same_shape(product, x) || weights.ne[0] != 1 ||
      weights.ne[1] != k || weights.ne[2] != product.ne[2] || weights.ne[3] != 1 || !is_viewable(x) ||
      !is_viewable(weights) || k < 2 || static_cast<std::int64_t>(nodes.size()) < k ||
      !is_used(graph, product, static_cast<std::int32_t>(k)))
    return false;
  for (std::int64_t j = 1; j < k; ++j) {
    const Node& sum = *nodes[static_cast<std::size_t>(j)];
    if (!is_named(sum, "ADD") || !is_f32_matrix(sum)) return false;
    const Node& before = *nodes[static_cast<std::size_t>(j) - 1];
    const bool is_added_to = j == 1
                                 ? is_of_expert(*sum.src[0], product, 0) && is_used_once(graph, *sum.src[0])
                                 : sum.src[0] == &before && is_used_once(graph, before);
    if (!is_added_to || !is_of_expert(*sum.src[1], product, j) || !is_used_once(graph, *sum.src[1]))
      return false;
  }
  const Node& result = *nodes[static_cast<std::size_t>(k) - 1];
  return is_contiguous(result) && !do_overlap(result, x) && !do_overlap(result, weights);
}

}  // namespace

std::size_t run_experts(Workspace& workspace, const Graph& graph, Nodes nodes) {
  if (const auto choice = choice_of(graph, nodes)) {
    run_choice(workspace, *choice);
    return choice->count();
  }
  if (!is_weighted_sum(graph, nodes)) return 0;
  const Node& product = *nodes[0];
  const auto count = static_cast<std::size_t>(product.ne[1]);
  const Call call(workspace, *nodes[count - 1]);
  const Tensor out = call.destination().squeeze(0).squeeze(0);
  add_experts(call.view(*product.src[0]).squeeze(0), call.view(*product.src[1]).squeeze(0).squeeze(2),
              {.stream = call.stream(), .out = &out});
  return count;
}

}  // namespace kernelgen::ggml
