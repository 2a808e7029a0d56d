#include "manifest/operand_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernelgen/dtype.hpp"

namespace kernelgen::tool {

bool holds(std::span<const std::string> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> names_of(const std::vector<TypeVariable>& types) {
  std::vector<std::string> names;
  for (const TypeVariable& variable : types) names.push_back(variable.name);
  return names;
}

std::vector<std::string> names_of(const std::vector<Operand>& operands) {
  std::vector<std::string> names;
  for (const Operand& operand : operands) names.push_back(operand.name);
  return names;
}

std::vector<std::string> joined(std::vector<std::string> names, std::span<const std::string> more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

bool is_type_parameter(std::string_view name) {
  return name.size() > 1 && (name[0] == 'X' || name[0] == 'S') &&
         name.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

void check_operand_names(const Node& node, const OperationEntry& entry) {
  std::vector<std::string> seen;
  for (const auto* list : {&entry.inputs, &entry.scalars})
    for (const Operand& operand : *list) {
      if (holds(seen, operand.name)) node.fault(fmt::format("operand '{}' is given twice", operand.name));
      seen.push_back(operand.name);
    }
}

void check_variables_used(const Node& node, const OperationEntry& entry) {
  const std::vector<std::string> known = joined(names_of(entry.types), element_names());
  std::vector<std::string> used = {entry.output.type}, of_scalars;
  for (const Operand& input : entry.inputs) used.push_back(input.type);
  for (const Operand& scalar : entry.scalars) of_scalars.push_back(scalar.type);
  // A misspelled variable has its own fault; that the right one is then unused says nothing more.
  const auto is_known = [&](const std::string& type) { return holds(known, type); };
  if (!std::ranges::all_of(used, is_known) || !std::ranges::all_of(of_scalars, is_known)) return;
  for (const TypeVariable& variable : entry.types) {
    if (holds(used, variable.name)) continue;
    if (holds(of_scalars, variable.name))
      node.fault(
          fmt::format("type variable '{}' is the type of scalars only, so no call could decide it; give the "
                      "scalar the type of an input or of the output, or one dtype",
                      variable.name));
    else
      node.fault(fmt::format("type variable '{}' is the type of no input, scalar or output", variable.name));
  }
}

void check_tensor(const Node& node, const LaunchRule::Tensor& tensor, const OperationEntry& entry) {
  const std::string& type = tensor.type;
  const std::vector<std::string> known = joined(names_of(entry.types), element_names());
  const auto code = parse_element(type);
  if (holds(base_type_names(), tensor.name) || holds(known, tensor.name))
    node.fault(fmt::format("'{}' is the name of a type", tensor.name));
  if (!holds(known, type))
    node.fault_unknown(fmt::format("unknown type '{}'", type), type, known);
  else if (code && (is_quantized_code(*code) || (*code >= dtype_count && tensor.is_output())))
    node.fault(fmt::format("'{}' is not a dtype of plain elements{}", type,
                           is_quantized_code(*code) ? "" : "; workspaces alone may have raw ones"));
  else if (!code && std::ranges::find(entry.inputs, type, &Operand::type) == entry.inputs.end())
    node.fault(fmt::format("type variable '{}' is the type of no input, so no call could decide it", type));
}

}  // namespace kernelgen::tool
