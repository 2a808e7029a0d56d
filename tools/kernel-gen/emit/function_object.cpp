#include "emit/function_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/text_layout.hpp"
#include "emit/row_object.hpp"
#include "manifest/body_form.hpp"
#include "source/map_source.hpp"

namespace kernelgen::tool {
namespace {

/// A map's expression; the scalars are members.
std::string map_operation(const Operation& operation, const Module& module, std::size_t line) {
  const auto names = [](std::span<const Operand> operands) {
    std::vector<std::string> all;
    for (const Operand& operand : operands) all.push_back(operand.name);
    return all;
  };
  const std::vector<std::string> inputs = names(operation.inputs()), scalars = names(operation.scalars());
  const std::string text = map_object({operation.name, operation.expr_code, inputs, scalars},
                                      line_directive(operation.expr_line, module.manifest), line_limit);
  return text + own_lines(module, line + count_lines(text)) + "};\n";
}

/// An expression of a reduction as a function of values of a type X0.
std::string expression_function(std::string_view name, std::string_view parameters,
                                const Expression& expression, const Module& module, bool is_static) {
  std::string text;
  if (expression.line != 0) text += line_directive(expression.line, module.manifest);
  return text + fmt::format("  template <class X0> {}KG_DEVICE auto {}({}) {}{{ return {}; }}\n",
                            is_static ? "static " : "", name, parameters, is_static ? "" : "const ",
                            expression.code.text);
}

/// The expressions of a reduction, each a function: static ones, of which a reduction is made
/// (kernels/reduce/expression_reduction.hpp), or with several operands members of a class that holds the scalars
/// (kernels/reduce/inputs_reduction.hpp).
std::string expression_reduction(const Operation& operation, const Module& module, std::size_t line) {
  const bool has_operands = reduces_operands(operation);
  std::string text;
  if (has_operands) {
    std::vector<std::string> types, members;
    for (const Operand& scalar : operation.scalars()) {
      members.push_back(fmt::format("  S{} {};\n", types.size(), scalar.name));
      types.push_back(fmt::format("class S{}", types.size()));
    }
    if (!types.empty()) text += fmt::format("template <{}>\n", fmt::join(types, ", "));
    text += fmt::format("struct {}_op {{\n{}", operation.name, fmt::join(members, ""));
  } else {
    text += fmt::format("struct {}_parts {{\n", operation.name);
  }
  const auto add = [&](std::string_view name, std::string_view parameters, const Expression& expression) {
    text += expression_function(name, parameters, expression, module, !has_operands);
  };
  const Reduction& reduction = *operation.reduce;
  add("identity", "X0 lowest, X0 highest", reduction.identity);
  std::vector<std::string> elements;
  for (const Operand& input : operation.inputs()) elements.push_back("X0 " + input.name);
  add("of", fmt::format("{}", fmt::join(elements, ", ")), reduction.of);
  add("combine", "X0 a, X0 b", reduction.combine);
  add("finish", "X0 total, X0 count", reduction.finish);
  text += own_lines(module, line + count_lines(text)) + "};\n";
  if (has_operands) return text;
  return text + fmt::format("template <class X0>\nusing {0}_op = ExpressionReduction<{0}_parts, X0>;\n",
                            operation.name);
}

/// An expression of coordinates (kernels/index/expression_index.hpp); the scalars are members.
std::string index_operation(const Operation& operation, const Module& module, std::size_t line) {
  const IndexStatement& statement = *operation.index;
  std::vector<std::string> scalars, types, members, tensors, loops;
  for (const Operand& scalar : operation.scalars()) {
    types.push_back(fmt::format("class S{}", types.size()));
    members.push_back(fmt::format("  S{} {};\n", members.size(), scalar.name));
  }
  std::vector<std::string> tensor_types;
  for (const Operand& input : operation.inputs())
    if (statement.ranks.contains(input.name)) {
      tensor_types.push_back(fmt::format("class X{}", tensors.size()));
      tensors.push_back(fmt::format("const X{}& {}", tensors.size(), input.name));
    }
  for (const std::string& loop : statement.loops)
    loops.push_back(fmt::format("    [[maybe_unused]] const i64 {} = index.at[{}];\n", loop, loops.size()));
  tensors.push_back(fmt::format("const Coordinate<{}>& index", loops.size()));
  std::string text;
  if (!types.empty()) text += fmt::format("template <{}>\n", fmt::join(types, ", "));
  text += fmt::format("struct {}_op {{\n{}", operation.name, fmt::join(members, ""));
  const auto function = [&](const std::string& result, const char* name, const std::string& value) {
    if (!tensor_types.empty()) text += fmt::format("  template <{}>\n", fmt::join(tensor_types, ", "));
    text += fmt::format("  KG_DEVICE {} {}({}) const {{\n{}{}    return {};\n  }}\n", result, name,
                        fmt::join(tensors, ", "), fmt::join(loops, ""),
                        line_directive(statement.value.line, module.manifest), value);
  };
  function("auto", "operator()", statement.value.code.text);
  if (operation.reduce) {
    text +=
        expression_function("identity", "X0 lowest, X0 highest", operation.reduce->identity, module, false);
    text += expression_function("combine", "X0 a, X0 b", operation.reduce->combine, module, false);
    text += expression_function("finish", "X0 total, X0 count", operation.reduce->finish, module, false);
  }
  std::vector<std::string> position;
  for (const Expression& index : statement.position)
    position.push_back(fmt::format("static_cast<i64>({})", index.code.text));
  if (!position.empty()) {
    const std::string result = fmt::format("Coordinate<{}>", position.size());
    function(result, "position", fmt::format("{}{{{{{}}}}}", result, fmt::join(position, ", ")));
  }
  return text + own_lines(module, line + count_lines(text)) + "};\n";
}

/// The epilogue of a product (kernels/matmul/results.hpp); the scalars are members.
std::string matmul_epilogue(const Operation& operation, const Module& module, std::size_t line) {
  std::string text = operation.scalars().empty() ? "" : "template <class S0>\n";
  text += fmt::format("struct {}_op {{\n", operation.name);
  for (const Operand& scalar : operation.scalars()) text += fmt::format("  S0 {};\n", scalar.name);
  std::vector<std::string> types = {"class X0"}, operands = {"X0 total"};
  for (const Operand& input : operation.inputs().subspan(2)) {
    operands.push_back(fmt::format("X{} {}", types.size(), input.name));
    types.push_back(fmt::format("class X{}", types.size()));
  }
  text +=
      fmt::format("  template <{}>\n  KG_DEVICE auto operator()({}) const {{\n{}    return {};\n  }}\n",
                  fmt::join(types, ", "), fmt::join(operands, ", "),
                  line_directive(operation.epilogue->line, module.manifest), operation.epilogue->code.text);
  return text + own_lines(module, line + count_lines(text)) + "};\n";
}

/// The constants of a body, which have other values for some targets.
std::string constants(const Operation& operation) {
  if (operation.rule->constants().empty()) return {};
  std::string text = fmt::format("struct {}_constants {{\n", operation.name);
  for (const LaunchRule::Constant& constant : operation.rule->constants()) {
    const auto define = [&](std::int64_t value) {
      text += fmt::format("  static constexpr i64 {} = {};\n", constant.name, value);
    };
    std::string_view word = "#if";
    for (const auto& [target, value] : constant.by_target) {
      text += fmt::format("{} {}\n", std::exchange(word, "#elif"), target_condition(target));
      define(value);
    }
    if (!constant.by_target.empty()) text += "#else\n";
    define(constant.otherwise);
    if (!constant.by_target.empty()) text += "#endif\n";
  }
  return text + "};\n";
}

}  // namespace

bool reduces_operands(const Operation& operation) {
  return operation.reduce && !operation.rule && operation.reduce->functor.empty() &&
         (operation.input_count > 1 || operation.scalar_count > 0);
}

std::size_t count_lines(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

std::string line_directive(std::size_t line, std::string_view file) {
  return fmt::format("#line {} \"{}\"\n", line, file);
}

std::string own_lines(const Module& module, std::size_t line) {
  return line_directive(line + 1, module.name + ".hip");
}

std::string function_object(const Operation& operation, const Module& module, std::size_t line) {
  if (operation.is_map()) return map_operation(operation, module, line);
  if (operation.index) return index_operation(operation, module, line);
  if (operation.reduce && operation.reduce->functor.empty())
    return expression_reduction(operation, module, line);
  if (!operation.row.empty()) return row_object(operation, module, line);
  if (operation.epilogue) return matmul_epilogue(operation, module, line);
  if (operation.rule) return constants(operation);
  return {};
}

}  // namespace kernelgen::tool
