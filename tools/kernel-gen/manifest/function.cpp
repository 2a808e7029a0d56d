#include "manifest/function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.hpp"

namespace kernelgen::tool {

namespace {

/// What the functions call their other parameters.
constexpr std::array<std::string_view, 4> parameter_names = {"options", "out", "stream", "result"};

void check_names(const Node& node, std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    if (std::ranges::find(parameter_names, operand.name) != parameter_names.end())
      node.fault(
          fmt::format("operand '{}' is taken: the functions have a parameter of that name", operand.name));
}

}  // namespace

void check_comment(const Node& node) {
  const auto doc = node.find("doc");
  if (!doc) return node.fault("key 'doc' is missing: it is the comment of what has functions");
  const auto text = doc->text();
  if (!text) return;
  if (text->find_first_not_of(' ') == std::string::npos)
    doc->fault("must say something: it is the comment of what has functions");
  if (printable(*text) != *text || text->find('\\') != std::string::npos ||
      text->find("/*") != std::string::npos || text->find("*/") != std::string::npos)
    doc->fault("must be one line without '\\', '/*' and '*/': it becomes a comment of C");
}

void check_function(const Node& node, const OperationEntry& entry) {
  check_comment(node);
  if (entry.expr.empty())
    return node.fault("needs an expr: only functions of element-wise operations are written from manifests");
  const bool has_fixed_input = std::ranges::any_of(
      entry.inputs, [](const Operand& input) { return parse_element(input.type).has_value(); });
  if (entry.types.size() != 1 || has_fixed_input)
    node.fault(
        "needs one type variable, which all inputs have: only functions of one dtype are written from "
        "manifests");
  check_names(node, entry.inputs);
  check_names(node, entry.scalars);
}

}  // namespace kernelgen::tool
