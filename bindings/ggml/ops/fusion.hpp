#pragma once
#include <optional>
#include <span>
#include <string_view>

#include "call.hpp"
#include "kernelgen/vector_products.hpp"

namespace kernelgen::ggml {

using Nodes = std::span<const Node* const>;

bool is_named(const Node& node, std::string_view name);
/// Whether no node but the next one reads the result, so that it need not be stored.
bool is_used_once(const Graph& graph, const Node& node);
/// Whether exactly so many nodes read the result, and the program does not.
bool is_used(const Graph& graph, const Node& node, std::int32_t times);
/// Whether the node is the other one, or a view of all its elements in their order.
bool is_all_of(const Node& node, const Node& of);

/// The gate's function if the node is a gated linear unit that multiply_gated computes.
std::optional<Gate> gate_of(const Node& node);

/// A view of the node, which has two dims.
Tensor matrix_of(const Call& call, const Node& node);

/// Executes the first of these nodes, which follow one another, as one operation of the library if they are a pattern of it.
/// Returns how many: 0 if the first has to be executed alone.
std::size_t run_fused(Workspace& workspace, const Graph& graph, Nodes nodes);

/// The patterns, each as run_fused().
/// Keys that are rotated and stored in a cache, with the queries before and the values after them.
std::size_t run_rope_set_rows(Workspace& workspace, const Graph& graph, Nodes nodes);
/// Products of one token with several matrices of one type, or a gated product.
std::size_t run_products(Workspace& workspace, const Graph& graph, Nodes nodes);
/// The choice of experts with their weights, from softmax on, or the weighted sum of experts' results.
std::size_t run_experts(Workspace& workspace, const Graph& graph, Nodes nodes);
/// Whether both nodes are such products of the same vector.
bool are_products_of_one_vector(const Node& a, const Node& b);
/// Whether the second node is rotated by the first one's angles.
bool are_rotated_alike(const Node& a, const Node& b);
/// Whether the first two nodes are keys that are rotated and stored.
bool are_stored_keys(Nodes nodes);

}  // namespace kernelgen::ggml
