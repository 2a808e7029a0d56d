#include "manifest/kernel_owner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernelgen/dtype.hpp"
#include "manifest/manifest.hpp"
#include "manifest/operand_check.hpp"

namespace kernelgen::tool {
namespace {

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names(1);
  for (const char c : text)
    if (c == ',')
      names.emplace_back();
    else if (c != ' ')
      names.back() += c;
  return names;
}

/// read(name) of each name. Gives nothing, and adds a fault, if a name is unknown or their number is not `wanted`.
template <class Element, class Read>
std::vector<Element> read_each(const Node& node, const std::vector<std::string>& names, std::size_t wanted,
                               const Read& read) {
  std::vector<Element> found;
  for (const std::string& name : names)
    if (auto element = read(name))
      found.push_back(*std::move(element));
    else
      node.fault_unknown(fmt::format("unknown element type '{}'", name), name, element_names());
  if (found.size() == names.size() && found.size() != wanted) {
    node.fault(fmt::format("'{}' is {} of {} element types, one for each type variable",
                           fmt::join(names, ", "), names.size(), wanted));
    found.clear();
  }
  return found.size() == wanted ? found : std::vector<Element>();
}

std::optional<std::vector<ElementCode>> elements_of(const std::string& name) {
  if (const auto code = parse_element(name)) return std::vector{*code};
  return find_type_set(name);
}

/// "copy", "copy(b32)", "i32" or "S, i32".
void read_owner(const Node& node, const std::string& text, std::span<const TypeVariable> variables,
                KernelOwner& owner) {
  const auto type_of = [&](const std::string& name) -> std::optional<OwnerType> {
    const auto variable = std::ranges::find(variables, name, &TypeVariable::name);
    if (variable != variables.end()) return OwnerType{static_cast<std::size_t>(variable - variables.begin())};
    const auto code = parse_element(name);
    return code ? std::optional(OwnerType{std::nullopt, *code}) : std::nullopt;
  };
  const std::size_t open = text.find('(');
  std::string types = text;
  if (open != std::string::npos) {
    owner.operation = text.substr(0, open);
    types = text.substr(open + 1);
    if (!types.ends_with(')')) return node.fault(fmt::format("'{}' lacks a ')' at its end", text));
    types.pop_back();
  } else if (!type_of(split_names(text).front())) {
    owner.operation = text;
    return;
  }
  const auto names = split_names(types);
  owner.its_types =
      read_each<OwnerType>(node, names, owner.operation.empty() ? variables.size() : names.size(), type_of);
}

}  // namespace

bool KernelOwner::is_for(std::span<const ElementCode> values) const {
  for (std::size_t v = 0; v < types.size(); ++v)
    if (std::ranges::find(types[v], values[v]) == types[v].end()) return false;
  return true;
}

std::vector<ElementCode> KernelOwner::types_for(std::span<const ElementCode> values) const {
  if (its_types.empty()) return {values.begin(), values.end()};
  std::vector<ElementCode> codes;
  for (const OwnerType& type : its_types) codes.push_back(type.variable ? values[*type.variable] : type.code);
  return codes;
}

std::vector<KernelOwner> read_kernel_owners(const Node& node, std::span<const TypeVariable> types) {
  if (node.value().is_string()) return {{{}, *node.text(), {}, node.pointer()}};
  std::vector<KernelOwner> owners;
  for (const auto& [key, value] : node.members()) {
    const auto text = value.text();
    if (!text) continue;
    KernelOwner& owner = owners.emplace_back();
    owner.pointer = value.pointer();
    owner.types = read_each<std::vector<ElementCode>>(value, split_names(key), types.size(), elements_of);
    read_owner(value, *text, types, owner);
  }
  return owners;
}

void read_kernel_owners(const Node& operation, OperationEntry& entry) {
  if (const auto kernels = operation.find("kernels_of"))
    entry.owners = read_kernel_owners(*kernels, entry.types);
  const auto swapped = operation.find("swapped");
  if (!swapped) return;
  entry.is_swapped = swapped->truth().value_or(false);
  const bool is_of_another = entry.owners.size() == 1 && entry.owners[0].types.empty();
  if (entry.is_swapped && (entry.expr.empty() || entry.inputs.size() != 2 || !is_of_another))
    swapped->fault(R"(is for an expr of two inputs with "kernels_of": "OPERATION")");
}

std::string spell_types(std::span<const ElementCode> values) {
  std::string text;
  for (const ElementCode code : values) text.append(text.empty() ? "" : ", ").append(element_name(code));
  return text;
}

}  // namespace kernelgen::tool
