#pragma once
#include <span>
#include <string_view>

#include "call.hpp"

namespace kernelgen::ggml {

/// An operation of ggml, by its name there; unary functions and gated ones by theirs.
struct Operation {
  std::string_view name;
  /// Whether run() can execute the node, which and whose operands are viewable (is_viewable).
  bool (*accepts)(const Node&);
  void (*run)(const Call&);
};

using Operations = std::span<const Operation>;
Operations elementwise_operations();
Operations binary_operations();
Operations gated_operations();
Operations copy_operations();
Operations shape_operations();
Operations index_operations();
Operations row_operations();
Operations softmax_operations();
Operations matmul_operations();
Operations rope_operations();
Operations attention_operations();
Operations image_operations();
Operations resize_operations();
Operations sequence_operations();
Operations deepseek_operations();
Operations training_operations();

/// Null for a node that moves nothing (a view), and for an operation that is not in the table.
const Operation* find_operation(const Node& node);
/// Whether the node is a leaf or a view, which needs no execution.
bool is_view(const Node& node);
/// Whether the library executes the node.
bool is_supported(const Node& node);

}  // namespace kernelgen::ggml
