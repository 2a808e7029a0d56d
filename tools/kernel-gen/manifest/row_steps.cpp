#include "manifest/row_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string_view>

#include "kernelgen/dtype.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::size_t most_steps = 64;
const std::vector<std::string> reductions = {"sum", "mean", "prod", "min", "max"};
/// What the generated source calls its own variables and classes.
const std::vector<std::string> taken_names = {"n", "layout", "map", "widen", "widened", "kg"};

constexpr std::string_view example =
    R"j(["top = max(x)", "e = exp(x - top)", "total = sum(e)", "y = e / total"])j";

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// "sum(…)" as the name and what is in its parentheses; nothing where the text does not begin so.
std::optional<std::pair<std::string, std::string_view>> split_reduction(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string name(trimmed(text.substr(0, open)));
  if (std::ranges::find(reductions, name) == reductions.end()) return std::nullopt;
  return std::pair{name, text.substr(open + 1)};
}

/// Whether the ')' at the end of `text` closes what is open before it.
bool ends_with_its_parenthesis(std::string_view text) {
  int depth = 1;
  for (std::size_t i = 0; i < text.size() && depth > 0; ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

/// The reduction that an expression calls; empty where it calls none.
std::string called_reduction(std::string_view text) {
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  for (const std::string& name : reductions)
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1))
      if (!is_word(at - 1) && trimmed(text.substr(at + name.size())).starts_with('(')) return name;
  return {};
}

/// Reads the steps one after the other and keeps what their expressions may name.
class Reader {
 public:
  Reader(const StringLines& lines, const OperationEntry& operation, bool has_own_functions)
      : lines_(lines), operation_(operation), has_own_functions_(has_own_functions) {
    elements_ = operation.inputs[0].name;
    numbers_.emplace_back("n");
    for (const Operand& scalar : operation.scalars) numbers_.push_back(scalar.name);
    for (const Operand& input : operation.inputs) names_.push_back(input.name);
    names_.insert(names_.end(), numbers_.begin(), numbers_.end());
  }

  void read(const Node& node, bool is_last) {
    const auto text = node.text();
    if (!text) return;
    const auto equals = text->find('=');
    if (equals == std::string::npos)
      return node.fault(fmt::format(R"('{}' must be "NAME = EXPRESSION", as in {})", *text, example));
    RowStep step;
    step.name = trimmed(std::string_view(*text).substr(0, equals));
    check_name(node, step.name, is_last);
    step.elements = elements_;
    step.expression = {*text, lines_.at(node.pointer()), {}};
    const std::string_view right = trimmed(std::string_view(*text).substr(equals + 1));
    const auto reduction = split_reduction(right);
    const bool is_reduction = reduction && !is_last && ends_with_its_parenthesis(reduction->second);
    if (const std::string called = called_reduction(is_reduction ? reduction->second : right);
        !called.empty())
      return node.fault(
          fmt::format(R"j('{0}' must be a step by itself: "s = {0}(…)", then an expression of s)j", called));
    if (is_reduction) {
      step.kind = RowStep::Kind::reduction;
      step.reduction = reduction->first;
      step.expression.code =
          parse(*text, reduction->second.substr(0, reduction->second.size() - 1), with(elements_));
    } else if (is_last) {
      step.kind = RowStep::Kind::elements;
      std::vector<std::string> names = with(elements_);
      for (std::size_t k = 1; k < operation_.inputs.size(); ++k) names.push_back(operation_.inputs[k].name);
      step.expression.code = parse(*text, right, names);
    } else if (step.expression.code = parse(*text, right, numbers_);
               !step.expression.code.objection.empty()) {
      step.kind = RowStep::Kind::elements;
      step.expression.code = parse(*text, right, with(elements_));
    }
    if (const std::string& objection = step.expression.code.objection; !objection.empty())
      node.fault(objection + hint(objection));
    names_.push_back(step.name);
    if (step.kind == RowStep::Kind::elements) {
      replaced_[elements_] = step.name;
      elements_ = step.name;
    } else {
      numbers_.push_back(step.name);
    }
    steps.push_back(std::move(step));
  }

  std::vector<RowStep> steps;

 private:
  std::vector<std::string> with(const std::string& name) const {
    std::vector<std::string> names = numbers_;
    names.push_back(name);
    return names;
  }

  /// Blanks stand for what is before `part` in `text`, so that columns count from the step's beginning.
  ExpressionCode parse(const std::string& text, std::string_view part,
                       const std::vector<std::string>& names) const {
    const auto before = static_cast<std::size_t>(part.data() - text.data());
    ExpressionCode code =
        parse_expression(std::string(before, ' ') + std::string(part), {names, has_own_functions_});
    code.text = std::string(trimmed(code.text));
    return code;
  }

  void check_name(const Node& node, const std::string& name, bool is_last) const {
    if (is_last != (name == "y"))
      return node.fault(is_last ? fmt::format("the last step must be \"y = …\", the result; not '{}'", name)
                                : "'y' is the result, which the last step gives");
    if (const std::string objection = identifier_objection(name); !objection.empty())
      return node.fault(fmt::format("'{}' {}", name, objection));
    const bool is_own = name.starts_with("row_") || ((name[0] == 'X' || name[0] == 'S') && name.size() > 1 &&
                                                     name.find_first_not_of("0123456789", 1) == name.npos);
    if (is_own || std::ranges::find(taken_names, name) != taken_names.end())
      node.fault(fmt::format("'{}' is taken: the generated source has another meaning for it", name));
    else if (std::ranges::find(base_type_names(), name) != base_type_names().end())
      node.fault(fmt::format("'{}' is the name of a type", name));
    else if (std::ranges::find(names_, name) != names_.end())
      node.fault(fmt::format("'{}' is defined twice", name));
  }

  /// Why a name that exists cannot be used here.
  std::string hint(std::string_view objection) const {
    for (const auto& [name, by] : replaced_)
      if (objection.find(fmt::format("no operand '{}'", name)) != objection.npos)
        return fmt::format("; '{}' took the place of '{}': a row is held once", by, name);
    for (std::size_t k = 1; k < operation_.inputs.size(); ++k)
      if (objection.find(fmt::format("no operand '{}'", operation_.inputs[k].name)) != objection.npos)
        return fmt::format("; '{}' can be read by the last step only", operation_.inputs[k].name);
    return {};
  }

  const StringLines& lines_;
  const OperationEntry& operation_;
  const bool has_own_functions_;
  std::string elements_;
  std::vector<std::string> numbers_, names_;
  std::map<std::string, std::string> replaced_;
};

/// Tensors of one float type, the only type variable, which the result has too.
bool check_operands(const Node& node, const OperationEntry& operation) {
  if (operation.inputs.empty()) {
    node.fault("an operation on rows needs an input");
    return false;
  }
  const auto is_variable = [&](const Operand& operand) {
    return operation.types.size() == 1 && operand.type == operation.types[0].name;
  };
  if (!std::ranges::all_of(operation.inputs, is_variable) || !is_variable(operation.output))
    node.fault(R"(an operation on rows needs one type variable, which its inputs and its output have: )"
               R"("types": {"T": "F"}, "inputs": ["x: T"], "output": "T")");
  for (const TypeVariable& variable : operation.types)
    if (std::ranges::any_of(variable.values, [](ElementCode code) {
          return code >= dtype_count || is_quantized_code(code) || !is_float(static_cast<DType>(code));
        }))
      node.fault(fmt::format("type variable '{}' has types other than floats, which rows are computed in",
                             variable.name));
  return true;
}

}  // namespace

std::vector<RowStep> read_row(const Node& node, const StringLines& lines, const OperationEntry& operation,
                              bool has_own_functions) {
  if (!node.value().is_array() || node.value().empty()) {
    node.fault(fmt::format("must be an array of steps, as {}", example));
    return {};
  }
  if (!check_operands(node, operation)) return {};
  Reader reader(lines, operation, has_own_functions);
  const std::vector<Node> steps = node.items(most_steps);
  for (const Node& step : steps) reader.read(step, &step == &steps.back());
  return std::move(reader.steps);
}

Form row_form(const OperationEntry& operation) {
  const std::string& type = operation.inputs[0].type;
  Form form{row_form_name, {}, {Template("")}, 512};
  const auto value = [](std::string name, std::string base) {
    return Parameter{std::move(name), {std::move(base), false, false}};
  };
  std::vector<std::string> operands, numbers;
  for (std::size_t k = 0; k < operation.inputs.size(); ++k) {
    form.parameters.push_back({fmt::format("x{}", k), {type, true, true}});
    if (k > 0) operands.push_back(fmt::format(", RowOperand<{{{0}}}>{{ x{1}, step{1} }}", type, k));
  }
  form.parameters.push_back({"y", {type, false, true}});
  for (std::size_t k = 1; k < operation.inputs.size(); ++k)
    form.parameters.push_back(value(fmt::format("step{}", k), "u64"));
  form.parameters.push_back(value("rows", "u64"));
  form.parameters.push_back(value("n", "u64"));
  for (std::size_t k = 0; k < operation.scalars.size(); ++k) {
    form.parameters.push_back(value(fmt::format("s{}", k), operation.scalars[k].type));
    numbers.push_back(fmt::format(", convert<widened<{{{}}}>>(s{})", type, k));
  }
  form.parameters.push_back(value("group", "u32"));
  form.body.text =
      Template(fmt::format("map_expression_rows(RowOf<{{{0}}}>{{ x0 }}, y, rows, n, group, {1}_op<{{{0}}}>{{ "
                           "convert<widened<{{{0}}}>>(n){2} }}{3})",
                           type, operation.name, fmt::join(numbers, ""), fmt::join(operands, "")));
  return form;
}

}  // namespace kernelgen::tool
