#include "ops/table.hpp"

#include <unordered_map>

#include "host.hpp"

namespace kernelgen::ggml {
namespace {

std::string_view name_of(const Node& node) {
  const std::string_view name = host().op_name(node.op);
  if (name == "UNARY") return host().unary_op_name(node.op_params[0]);
  if (name == "GLU") return host().glu_op_name(node.op_params[0]);
  return name;
}

using Table = std::unordered_map<std::string_view, const Operation*>;

const Table& table() {
  static const Table all = [] {
    Table table;
    for (const Operations operations :
         {elementwise_operations(), binary_operations(), gated_operations(), copy_operations(),
          shape_operations(), index_operations(), row_operations(), softmax_operations(), matmul_operations(),
          rope_operations(), attention_operations(), image_operations(), resize_operations(),
          sequence_operations(), deepseek_operations(), training_operations()})
      for (const Operation& operation : operations) table.emplace(operation.name, &operation);
    return table;
  }();
  return all;
}

}  // namespace

const Operation* find_operation(const Node& node) {
  const auto found = table().find(name_of(node));
  return found == table().end() ? nullptr : found->second;
}

bool is_view(const Node& node) {
  const std::string_view name = host().op_name(node.op);
  return name == "NONE" || name == "RESHAPE" || name == "VIEW" || name == "PERMUTE" || name == "TRANSPOSE";
}

bool is_supported(const Node& node) {
  if (is_view(node)) return true;
  const Operation* const operation = find_operation(node);
  if (operation == nullptr || !is_viewable(node)) return false;
  for (const Node* source : node.src)
    if (source != nullptr && !is_viewable(*source)) return false;
  return operation->accepts(node);
}

}  // namespace kernelgen::ggml
