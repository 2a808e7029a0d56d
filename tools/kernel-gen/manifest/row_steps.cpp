#include "manifest/row_steps.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "kernelgen/dtype.hpp"
#include "manifest/operand_check.hpp"
#include "manifest/statement_text.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::size_t most_steps = 64;
const std::vector<std::string> reductions = {"sum_exp", "moments", "sum", "mean", "prod", "min", "max"};
const std::vector<std::string> row_keys = {"steps", "long", "shared", "first_pass"};
/// Names that the generated class (emit/row_object.cpp) gives to members or takes from the library: a step or an operand of such a
/// name would hide them.
const std::vector<std::string> taken_names = {
    "n",         "layout", "map", "widen", "widened", "kg",      "LongRowReduction", "finish",
    "has_lanes", "Sum",    "Min", "Max",   "Product", "Moments", "OnlineSoftmax",    "sum_of_exp"};

constexpr std::string_view example =
    R"j(["top = max(x)", "e = exp(x - top)", "total = sum(e)", "y = e / total"])j";
constexpr std::string_view long_example = R"j(["top, total = sum_exp(x)", "y = exp(x - top) / total"])j";

/// Whether a reduction gives two numbers.
bool gives_two(std::string_view reduction) { return reduction == "sum_exp" || reduction == "moments"; }

void check_not_taken(const Node& node, const std::string& name) {
  if (name.starts_with("row_") || is_type_parameter(name) || holds(taken_names, name))
    node.fault(fmt::format("'{}' is taken: the generated source has another meaning for it", name));
}

/// "sum(…)" as the name and all after the opening parenthesis; nullopt if the text does not begin with a reduction.
std::optional<std::pair<std::string, std::string_view>> split_reduction(std::string_view text) {
  const auto open = text.find('(');
  if (open == std::string_view::npos) return std::nullopt;
  const std::string name(trimmed(text.substr(0, open)));
  if (std::ranges::find(reductions, name) == reductions.end()) return std::nullopt;
  return std::pair{name, text.substr(open + 1)};
}

/// Whether the last character of `text` is the ')' of a '(' before its first one.
bool ends_with_its_parenthesis(std::string_view text) {
  int depth = 1;
  for (std::size_t i = 0; i < text.size() && depth > 0; ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

/// The reduction that an expression calls; empty if it calls none.
std::string called_reduction(std::string_view text) {
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_');
  };
  for (const std::string& name : reductions)
    for (auto at = text.find(name); at != text.npos; at = text.find(name, at + 1))
      if (!is_word(at - 1) && trimmed(text.substr(at + name.size())).starts_with('(')) return name;
  return {};
}

/// Reads steps one after the other, and keeps the names that the expressions of the next one may use.
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
    if (const auto comma = step.name.find(','); comma != step.name.npos) {
      step.second = trimmed(std::string_view(step.name).substr(comma + 1));
      step.name = trimmed(step.name.substr(0, comma));
      check_name(node, step.second, false);
      if (step.second == step.name) node.fault(fmt::format("'{}' is defined twice", step.name));
    }
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
      const std::string_view of = reduction->second.substr(0, reduction->second.size() - 1);
      step.expression.code = parse(*text, of, with(elements_));
      step.is_of_elements = parse(*text, of, {elements_}).objection.empty();
      if (gives_two(step.reduction) && (step.second.empty() || step.expression.code.text != elements_))
        return node.fault(
            fmt::format(R"j('{0}' gives two numbers of the elements: "{1} = {0}({2})")j", step.reduction,
                        step.reduction == "moments" ? "mean, variance" : "top, total", elements_));
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
    if (!step.second.empty() && !gives_two(step.reduction))
      node.fault("only sum_exp and moments give two numbers, as in \"top, total = sum_exp(x)\"");
    names_.push_back(step.name);
    if (!step.second.empty()) {
      names_.push_back(step.second);
      numbers_.push_back(step.second);
    }
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

  /// Parses `part` of a step, whose columns errors name.
  ExpressionCode parse(const std::string& text, std::string_view part,
                       const std::vector<std::string>& names) const {
    ExpressionCode code = parse_expression(placed(text, part), {names, has_own_functions_, {}, true});
    code.text = std::string(trimmed(code.text));
    return code;
  }

  void check_name(const Node& node, const std::string& name, bool is_last) const {
    if (is_last != (name == "y"))
      return node.fault(is_last ? fmt::format("the last step must be \"y = …\", the result; not '{}'", name)
                                : "'y' is the result, which the last step gives");
    if (const std::string objection = identifier_objection(name); !objection.empty())
      return node.fault(fmt::format("'{}' {}", name, objection));
    check_not_taken(node, name);
    if (holds(base_type_names(), name))
      node.fault(fmt::format("'{}' is the name of a type", name));
    else if (holds(names_, name))
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
  std::string elements_;                         ///< the name of the row's elements at this step
  std::vector<std::string> numbers_, names_;     ///< numbers of the row so far; all names so far
  std::map<std::string, std::string> replaced_;  ///< former names of the elements: the next name
};

/// Adds faults unless inputs and result are of the only type variable, which has floats only. False without an input.
bool check_operands(const Node& node, const OperationEntry& operation) {
  if (operation.inputs.empty()) {
    node.fault("an operation on rows needs an input");
    return false;
  }
  for (const auto* list : {&operation.inputs, &operation.scalars})
    for (const Operand& operand : *list) check_not_taken(node, operand.name);
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

std::vector<RowStep> read_steps(const Node& node, const StringLines& lines, const OperationEntry& operation,
                                bool has_own_functions) {
  if (!node.value().is_array() || node.value().empty()) {
    node.fault(fmt::format("must be an array of steps, as {}", example));
    return {};
  }
  Reader reader(lines, operation, has_own_functions);
  const std::vector<Node> steps = node.items(most_steps);
  for (const Node& step : steps) reader.read(step, &step == &steps.back());
  return std::move(reader.steps);
}

/// Why rows cannot be split by these steps; empty if they can. Reads on from "so ".
std::string split_objection(std::span<const RowStep> steps) {
  if (steps.size() < 2 || steps[0].kind != RowStep::Kind::reduction) return "the first step is a reduction";
  if (!steps[0].is_of_elements) return "the first step reduces the elements and numbers that are written out";
  for (const RowStep& step : steps.subspan(1, steps.size() - 2))
    if (step.kind != RowStep::Kind::number) return "all steps but the first and the last give numbers";
  return {};
}

/// Equal for two reductions of elements whose partial results are the same: a mean's are those of a sum, and neither the name of
/// the elements nor blanks count.
std::pair<std::string_view, std::string> partial_results(const RowStep& step) {
  std::string text;
  const std::string& code = step.expression.code.text;
  for (std::size_t i = 0; i < code.size();) {
    std::size_t end = i;
    while (end < code.size() &&
           (std::isalnum(static_cast<unsigned char>(code[end])) != 0 || code[end] == '_'))
      ++end;
    end = std::max(end, i + 1);
    const std::string word = code.substr(i, end - i);
    if (word != " ") text += word == step.elements ? "x" : word;
    i = end;
  }
  return {step.reduction == "mean" ? "sum" : std::string_view(step.reduction), text};
}

std::vector<std::string> read_shared(const Node& node, const OperationEntry& operation) {
  std::vector<std::string> names, others;
  for (const Operand& input : std::span(operation.inputs).subspan(1)) others.push_back(input.name);
  for (const Node& item : node.items(most_steps))
    if (const auto name = item.text()) {
      if (!holds(others, *name))
        item.fault_unknown(fmt::format("'{}' is not an input but the first", *name), *name, others);
      names.push_back(*name);
    }
  return names;
}

}  // namespace

bool RowSteps::is_shared(const std::string& input) const { return holds(shared, input); }

RowSteps read_row(const Node& node, const StringLines& lines, const OperationEntry& operation,
                  bool has_own_functions) {
  RowSteps row;
  const bool is_object = node.value().is_object();
  if (!check_operands(node, operation) || (is_object && !node.expect_object(row_keys))) return row;
  const auto read = [&](const Node& steps) { return read_steps(steps, lines, operation, has_own_functions); };
  if (!is_object) {
    row.steps = read(node);
  } else {
    if (const auto steps = node.need("steps")) row.steps = read(*steps);
    if (const auto steps = node.find("long")) {
      row.long_steps = read(*steps);
      if (const std::string objection = split_objection(row.long_steps);
          !row.long_steps.empty() && !objection.empty())
        steps->fault(fmt::format("is for rows in parts, so {}, as in {}", objection, long_example));
    }
    if (const auto shared = node.find("shared")) row.shared = read_shared(*shared, operation);
  }
  if (row.long_steps.empty() && split_objection(row.steps).empty()) row.long_steps = row.steps;
  if (const auto owner = is_object ? node.find("first_pass") : std::nullopt) {
    row.first_pass = {{{}, owner->text().value_or(""), {}, owner->pointer()}};
    if (row.long_steps.empty())
      owner->fault(fmt::format("is for rows in parts; 'steps' cannot split them, so give 'long', as in {}",
                               long_example));
  }
  return row;
}

std::string first_pass_objection(const RowSteps& steps, const RowSteps& owner) {
  const RowStep &own = steps.long_steps[0], &other = owner.long_steps[0];
  if (partial_results(own) == partial_results(other)) return {};
  return fmt::format("begins long rows with \"{}\", this operation with \"{}\"", other.expression.text,
                     own.expression.text);
}

std::vector<Form> row_forms(const OperationEntry& operation) {
  const std::string& type = operation.inputs[0].type;
  const auto value = [](std::string name, std::string base) {
    return Parameter{std::move(name), {std::move(base), false, false}};
  };
  const Parameter x{"x0", {type, true, true}};
  std::vector<Parameter> inputs, row_strides, scalars;
  std::string operands, numbers;
  for (std::size_t k = 0; k < operation.inputs.size(); ++k) {
    inputs.push_back({fmt::format("x{}", k), {type, true, true}});
    if (k == 0) continue;
    const bool is_shared = operation.row.is_shared(operation.inputs[k].name);
    if (!is_shared) row_strides.push_back(value(fmt::format("step{}", k), "u64"));
    operands +=
        fmt::format(", RowOperand<{{{}}}>{{ x{}, {} }}", type, k, is_shared ? "0" : fmt::format("step{}", k));
  }
  inputs.push_back({"y", {type, false, true}});
  for (std::size_t k = 0; k < operation.scalars.size(); ++k) {
    scalars.push_back(value(fmt::format("s{}", k), operation.scalars[k].type));
    numbers += fmt::format(", convert<widened<{{{}}}>>(s{})", type, k);
  }
  const Parameter rows = value("rows", "u64"), n = value("n", "u64"), part = value("part", "u64");
  const std::string source = fmt::format("RowOf<{{{}}}>{{ x0 }}", type),
                    op = fmt::format("{}_op<{{{}}}>", operation.name, type),
                    op_and_operands =
                        fmt::format("{}{{ convert<widened<{{{}}}>>(n){} }}{}", op, type, numbers, operands);
  const auto form = [&](std::size_t which, std::initializer_list<std::vector<Parameter>> parameters,
                        const std::string& body) {
    Form made{row_form_names[which], {}, {Template(body)}, which == 0 ? 512 : operation.block};
    // Loads in flight hide latency only if there are enough warps too.
    made.occupancy = operation.occupancy.empty() ? "three_halves" : operation.occupancy;
    for (const auto& some : parameters)
      made.parameters.insert(made.parameters.end(), some.begin(), some.end());
    return made;
  };
  std::vector<Form> forms = {
      form(0, {inputs, row_strides, {rows, n}, scalars, {value("group", "u32")}},
           fmt::format("map_rows({}, y, rows, n, group, {})", source, op_and_operands))};
  if (operation.row.long_steps.empty()) return forms;
  if (!operation.row.first_pass.empty())
    forms.push_back({row_form_names[1], {}, {Template("")}, operation.block, {}, operation.row.first_pass});
  else
    forms.push_back(form(
        1, {{x, {"partials", {"b64", false, true}}, rows, n, part}},
        fmt::format("reduce_row_partials<{}::LongRowReduction>({}, partials, rows, n, part)", op, source)));
  forms.push_back(
      form(2, {inputs, {{"partials", {"b64", true, true}}}, row_strides, {rows, n, part}, scalars},
           fmt::format("combine_rows({}, y, partials, rows, n, part, {})", source, op_and_operands)));
  return forms;
}

}  // namespace kernelgen::tool
