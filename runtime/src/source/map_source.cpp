#include "source/map_source.hpp"

#include <vector>

#include "common/format.hpp"

namespace kernelgen {
namespace {

/// "class X0, class X1"
std::string type_parameters(char letter, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(formatted("class {}{}", letter, i));
  return joined(names, ", ");
}

}  // namespace

std::string map_object(const MapExpression& expression, std::string_view directive, std::size_t columns) {
  const auto& [name, code, inputs, scalars] = expression;
  std::string text;
  if (!scalars.empty()) text += formatted("template <{}>\n", type_parameters('S', scalars.size()));
  text += formatted("struct {}_op {{\n", name);
  for (std::size_t i = 0; i < scalars.size(); ++i) text += formatted("  S{} {};\n", i, scalars[i]);
  if (code.is_rough) text += "  static constexpr bool is_rough = true;\n";

  std::vector<std::string> elements;
  for (const std::string& input : inputs) elements.push_back(formatted("X{} {}", elements.size(), input));
  const std::string head = formatted("KG_DEVICE auto operator()({}) const {{", joined(elements, ", "));
  text += formatted("  template <{}>\n", type_parameters('X', inputs.size()));
  const std::string body = formatted("return {};", code.text);
  if (2 + head.size() + 1 + body.size() + 2 <= columns)
    return text + formatted("{}  {} {} }}\n", directive, head, body);
  return text + formatted("  {}\n{}    {}\n  }}\n", head, directive, body);
}

std::string map_body(std::string_view name, std::span<const std::string> inputs,
                     std::span<const std::string> scalars, std::span<const std::string> scalar_types,
                     bool is_strided) {
  std::vector<std::string> types, values;
  for (const std::string& type : scalar_types) types.push_back(formatted("widened<{}>", type));
  for (const std::string& scalar : scalars) values.push_back(formatted("widen({})", scalar));
  const std::string arguments = types.empty() ? "" : formatted("<{}>", joined(types, ", "));
  return formatted("map({}_op{}{{{}}}, y, {}, {})", name, arguments, joined(values, ", "),
                   is_strided ? "layout" : "n", joined(inputs, ", "));
}

std::string map_layout_type(std::size_t inputs) { return formatted("Strided<{}>", inputs); }

std::string kernel_definition(unsigned block, std::string_view name, std::span<const std::string> parameters,
                              std::string_view body) {
  return formatted("KG_KERNEL({}, {}, {}) {{ begin_kernel(); {}; }}\n", block, name, joined(parameters, ", "),
                   body);
}

}  // namespace kernelgen
