#include <algorithm>
#include <array>

#include "ops/fusion.hpp"
#include "ops/rope.hpp"
#include "ops/table.hpp"

/// Keys that are rotated and stored in a cache, with the queries before and the values after them: three to five nodes of a
/// layer as one operation.
namespace kernelgen::ggml {
namespace {

/// One sequence of heads of f32, of which every channel is rotated.
bool is_whole_rope(const Node& node) {
  if (!is_named(node, "ROPE") || !is_f32(&node) || !is_f32(node.src[0]) || !is_viewable(*node.src[0]))
    return false;
  return node.ne[3] == 1 && is_contiguous(node) && 2 * Rope(node).pairs == node.ne[0];
}

/// Rows of one matrix that are stored at an id for each of `tokens`.
bool is_stored_row(const Node& node, std::int64_t tokens) {
  const Node *x = node.src[0], *ids = node.src[1];
  return is_named(node, "SET_ROWS") && is_real(&node) && is_f32(x) && is_viewable(node) && is_viewable(*x) &&
         is_type(ids, {Type::i32, Type::i64}) && is_viewable(*ids) && elements(*ids) == tokens &&
         ids->ne[0] == tokens && elements(*x) == x->ne[0] * tokens && x->ne[1] == tokens && node.ne[2] == 1 &&
         node.ne[3] == 1 && node.nb[0] == size_of(*dtype_of(node.type));
}

/// The nodes of the pattern, some of which may be missing.
struct Step {
  const Node* q = nullptr;
  const Node* k = nullptr;
  const Node* keys = nullptr;
  const Node* values = nullptr;

  std::size_t count() const { return (q ? 1u : 0u) + 2u + (values ? 1u : 0u); }
  std::int64_t tokens() const { return k->ne[2]; }
};

/// Whether the operation may write the results while it reads its operands.
bool is_apart(const Step& step) {
  const std::array<const Node*, 3> written{step.q, step.keys, step.values};
  const std::array<const Node*, 5> read{step.q ? step.q->src[0] : nullptr, step.k->src[0], step.keys->src[1],
                                        step.values ? step.values->src[0] : nullptr,
                                        step.values ? step.values->src[1] : nullptr};
  for (std::size_t w = 0; w < written.size(); ++w) {
    if (written[w] == nullptr) continue;
    for (std::size_t other = w + 1; other < written.size(); ++other)
      if (written[other] != nullptr && do_overlap(*written[w], *written[other])) return false;
    for (const Node* const source : read) {
      if (source == nullptr || !do_overlap(*written[w], *source)) continue;
      const bool is_in_place =
          w == 0 && source == step.q->src[0] && source->data == step.q->data && is_contiguous(*source);
      if (!is_in_place) return false;
    }
  }
  return true;
}

/// The pattern that the nodes begin with; without keys if they do not.
Step step_of(const Graph& graph, Nodes nodes) {
  Step step;
  if (nodes.size() >= 3 && are_rotated_alike(*nodes[0], *nodes[1])) {
    step.q = nodes[0];
    nodes = nodes.subspan(1);
  }
  if (!are_stored_keys(nodes)) return {};
  step.k = nodes[0];
  step.keys = nodes[1];
  const Node& stored = *step.keys->src[0];
  if (!is_used_once(graph, *step.k) || (&stored != step.k && !is_used_once(graph, stored))) return {};
  if (nodes.size() >= 3 && is_stored_row(*nodes[2], step.tokens())) {
    step.values = nodes[2];
    if (!is_apart(step)) step.values = nullptr;
  }
  return is_apart(step) ? step : Step{};
}

/// [tokens, heads, d]
Tensor heads_of(const Call& call, const Node& node) { return call.view(node).squeeze(0); }
Tensor vector_of(const Call& call, const Node& node) { return matrix_of(call, node).squeeze(0); }

}  // namespace

bool are_rotated_alike(const Node& a, const Node& b) {
  return a.src[1] == b.src[1] && a.src[2] == b.src[2] && a.ne[0] == b.ne[0] && a.ne[2] == b.ne[2] &&
         is_whole_rope(a) && is_whole_rope(b) && std::ranges::equal(a.op_params, b.op_params);
}

bool are_stored_keys(Nodes nodes) {
  if (nodes.size() < 2 || !is_whole_rope(*nodes[0])) return false;
  const Node &k = *nodes[0], &keys = *nodes[1];
  return is_stored_row(keys, k.ne[2]) && is_all_of(*keys.src[0], k) &&
         keys.src[0]->ne[0] == k.ne[0] * k.ne[1];
}

std::size_t run_rope_set_rows(Workspace& workspace, const Graph& graph, Nodes nodes) {
  const Step step = step_of(graph, nodes);
  if (step.k == nullptr) return 0;
  const Call call(workspace, *step.k);
  const Rope rope(*step.k);
  const Angles angles = angles_of(call, rope, step.tokens());
  const Tensor k = heads_of(call, *step.k->src[0]), keys = matrix_of(call, *step.keys),
               key_ids = vector_of(call, *step.keys->src[1]);
  const Tensor q = step.q ? heads_of(call, *step.q->src[0]) : k.narrow(1, 0, 0);
  // Without values, v has no elements.
  const Tensor v = step.values ? matrix_of(call, *step.values->src[0])
                               : matrix_of(call, *step.keys->src[0]).narrow(1, 0, 0);
  const Tensor values = step.values ? matrix_of(call, *step.values) : keys.narrow(1, 0, 0);
  const Tensor value_ids = step.values ? vector_of(call, *step.values->src[1]) : key_ids;
  CallOptions options = call.options();
  const Tensor out = step.q ? heads_of(call, *step.q) : Tensor();
  if (step.q) options.out = &out;
  rope_set_rows(q, k, v, angles.cos, angles.sin, keys, key_ids, values, value_ids, rope.mode == Rope::normal,
                options);
  return step.count();
}

}  // namespace kernelgen::ggml
