#include "manifest/body_form.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "kernelgen/dtype.hpp"
#include "manifest/launch_bounds.hpp"
#include "manifest/operand_check.hpp"
#include "manifest/statement_text.hpp"
#include "source/body.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<std::string> keys = {"constants", "numbers", "requires", "outputs",
                                       "workspace", "zeros",   "launches"};
const std::vector<std::string> launch_keys = {"call", "grid", "threads", "block", "shared", "if", "for"};
constexpr std::size_t most_launches = 32, most_statements = 64;

constexpr std::string_view example =
    R"j({"numbers": ["n = size(x)"], "outputs": ["y: T = [x]"], )j"
    R"j("launches": [{"call": "twice(x, y, n)", "grid": "ceil_div(n, 256)"}]})j";
constexpr std::string_view call_example = R"j("sum_tiles<TILE, {T}>(x, y, n)")j";

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; !trimmed(list).empty() && at != list.npos;) {
    const auto comma = list.find(',', at);
    parts.emplace_back(trimmed(list.substr(at, comma - at)));
    at = comma == list.npos ? comma : comma + 1;
  }
  return parts;
}

/// "f<TILE>(x, n)" in its parts.
struct Call {
  std::string function;
  std::vector<std::string> template_arguments, arguments;
  bool has_template_arguments = false;
};
std::optional<Call> split_call(std::string_view text) {
  text = trimmed(text);
  const auto open = text.find('(');
  if (open == text.npos || !text.ends_with(')') || text.find_first_of("()", open + 1) != text.size() - 1)
    return std::nullopt;
  Call call;
  std::string_view name = trimmed(text.substr(0, open));
  call.arguments = split(text.substr(open + 1, text.size() - open - 2));
  if (const auto angle = name.find('<'); angle != name.npos) {
    if (!name.ends_with('>')) return std::nullopt;
    call.has_template_arguments = true;
    call.template_arguments = split(name.substr(angle + 1, name.size() - angle - 2));
    name = trimmed(name.substr(0, angle));
  }
  call.function = name;
  return call;
}

class Reader {
 public:
  Reader(const StringLines& lines, OperationEntry& operation) : lines_(lines), operation_(operation) {
    std::vector<std::string> inputs, integers;
    for (const Operand& input : operation.inputs) inputs.push_back(input.name);
    for (const Operand& scalar : operation.scalars)
      if (const auto code = parse_element(scalar.type);
          code && *code < dtype_count && !is_float(static_cast<DType>(*code)))
        integers.push_back(scalar.name);
    operation.rule = LaunchRule(std::move(inputs), std::move(integers));
  }

  void read(const Node& node) {
    if (!node.expect_object(keys)) return;
    if (operation_.inputs.empty())
      node.fault("an operation with a body needs an input, whose device it runs on");
    if (const auto constants = node.find("constants"))
      for (const auto& [name, value] : constants->members(most_statements)) constant(name, value);
    statements(node, "numbers", "number");
    statements(node, "requires", "require");
    statements(node, "outputs", "output");
    statements(node, "workspace", "workspace");
    statements(node, "zeros", "zeros");
    const auto& tensors = rule().tensors();
    if (const auto first = std::ranges::find(tensors, true, &LaunchRule::Tensor::is_output);
        first != tensors.end())
      operation_.output = {first->name, first->type};
    else if (!node.find("outputs"))
      node.fault(fmt::format("key 'outputs' is missing; a body is {}", example));
    const auto launches = node.find("launches");
    if (!launches || !launches->value().is_array() || launches->value().empty())
      return node.fault(fmt::format("needs 'launches', an array, as in {}", example));
    for (const Node& launch : launches->items(most_launches)) this->launch(launch);
  }

 private:
  LaunchRule& rule() { return *operation_.rule; }

  void add(const Node& node, std::string_view word, std::string_view rest) {
    try {
      rule().add(word, rest);
    } catch (const DimFault& fault) {
      node.fault(fault.why);
    }
  }

  void statements(const Node& owner, const std::string& key, std::string_view word) {
    const auto list = owner.find(key);
    if (!list) return;
    for (const Node& item : list->items(most_statements))
      if (const auto text = item.text()) {
        const std::size_t tensors = rule().tensors().size();
        add(item, word, *text);
        if (rule().tensors().size() > tensors) check_tensor(item, rule().tensors().back(), operation_);
        if (word == "number") check_free(item, rule().names().numbers.back());
      }
  }

  /// The values of "try", which tunable_constants() reads.
  static void check_tunable(const Node& node, std::uint32_t most) {
    const auto items = node.items(most_statements);
    for (const Node& item : items) item.number(0, most);
    if (items.size() < 2) node.fault("needs two values or more, as in [64, 128, 256]");
  }

  /// A number, or {"default": 1024, "gfx90a": 2048, "try": [1024, 2048]}.
  void constant(const std::string& name, const Node& node) {
    constexpr std::uint32_t most = 1u << 30;
    std::string text = name + ' ', table;
    if (node.value().is_object()) {
      const auto otherwise = node.need("default");
      if (!otherwise) return;
      text += fmt::to_string(otherwise->number(0, most).value_or(0));
      for (const auto& [target, value] : node.members(most_statements)) {
        if (target == "default") continue;
        if (target == "try") {
          check_tunable(value, most);
          continue;
        }
        if (target_condition(target).empty())
          value.fault(fmt::format(
              "'{}' is not a target: use \"default\", \"cpu\", a GPU of AMD, \"gfx90a\", or of NVIDIA, "
              "\"sm_90\"; \"try\" lists values for 'kernel-gen tune'",
              target));
        text += fmt::format(" {} {}", target, value.number(0, most).value_or(0));
      }
    } else {
      text += fmt::to_string(node.number(0, most).value_or(0));
    }
    add(node, "constant", text);
    check_free(node, name);
  }

  /// Types have other meanings in the generated source.
  void check_free(const Node& node, const std::string& name) {
    if (holds(base_type_names(), name) || holds(names_of(operation_.types), name))
      node.fault(fmt::format("'{}' is the name of a type", name));
  }

  void launch(const Node& node) {
    if (!node.expect_object(launch_keys)) return;
    Form form{"", {}, {Template("")}, read_block(node, operation_.block)};
    add(node, "launch", "");
    if (const auto loop = node.find("for"))
      if (const auto text = loop->text()) {
        add(*loop, "for", *text);
        if (const auto& given = rule().launches().back().loop) check_free(*loop, given->name);
      }
    const auto call = node.need("call");
    if (const auto text = call ? call->text() : std::nullopt) read_call(*call, *text, form);
    if (!node.find("grid"))
      node.fault(R"j(key 'grid' is missing: the number of blocks, as "ceil_div(n, threads)")j");
    for (const auto& [key, word] :
         {std::pair{"if", "when"}, {"grid", "grid"}, {"threads", "threads"}, {"shared", "shared"}})
      if (const auto part = node.find(key))
        if (const auto text = part->text()) add(*part, word, *text);
    operation_.forms.push_back(std::move(form));
  }

  void read_call(const Node& node, const std::string& text, Form& form) {
    const auto call = split_call(text);
    const std::string plain = call ? call->function.substr(call->function.rfind(':') + 1) : "";
    if (!call || !identifier_objection(plain).empty())
      return node.fault(fmt::format(
          "'{}' must be a call of a function with names of tensors and numbers, as {}", text, call_example));
    if (const std::string objection = body_objection(call->function); !objection.empty())
      return node.fault("call " + objection);
    form.name = plain;
    for (int again = 2; std::ranges::find(operation_.forms, form.name, &Form::name) != operation_.forms.end();
         ++again)
      form.name = fmt::format("{}_{}", plain, again);
    std::string code = call->function;
    if (call->has_template_arguments) {
      std::vector<std::string> spelled;
      for (const std::string& argument : call->template_arguments)
        spelled.push_back(template_argument(node, argument));
      code += fmt::format("<{}>", fmt::join(spelled, ", "));
    }
    std::vector<std::string> spelled;
    for (const std::string& argument : call->arguments) {
      spelled.push_back(is_constant(argument) ? constant_name(argument) : argument);
      if (!is_constant(argument)) add_parameter(node, argument, form.parameters);
    }
    code += fmt::format("({})", fmt::join(spelled, ", "));
    form.body = {Template(code), lines_.at(node.pointer())};
    if (form.parameters.empty())
      node.fault("takes no tensor and no number, so the kernel could have no effect");
  }

  bool is_constant(std::string_view name) {
    return std::ranges::find(rule().constants(), name, &LaunchRule::Constant::name) !=
           rule().constants().end();
  }
  /// As the emitter defines it.
  std::string constant_name(std::string_view name) const {
    return fmt::format("kg::{}_constants::{}", operation_.name, name);
  }

  std::string template_argument(const Node& node, const std::string& argument) {
    const bool is_number = !argument.empty() && argument.find_first_not_of("0123456789") == argument.npos;
    const auto is_variable = [&](const TypeVariable& variable) {
      return argument == fmt::format("{{{}}}", variable.name);
    };
    if (is_constant(argument)) return constant_name(argument);
    if (!is_number && std::ranges::none_of(operation_.types, is_variable))
      node.fault(
          fmt::format("template argument '{}' is not a constant, whole number or {{type variable}}, as in {}",
                      argument, call_example));
    return argument;
  }

  void add_parameter(const Node& node, const std::string& name, std::vector<Parameter>& parameters) {
    if (std::ranges::find(parameters, name, &Parameter::name) != parameters.end()) return;
    const auto type_of = [&]() -> std::optional<ArgumentType> {
      for (const Operand& input : operation_.inputs)
        if (input.name == name) return ArgumentType{input.type, true, true};
      for (const LaunchRule::Tensor& tensor : rule().tensors())
        if (tensor.name == name) return ArgumentType{tensor.type, false, true};
      for (const Operand& scalar : operation_.scalars)
        if (scalar.name == name) return ArgumentType{scalar.type, false, false};
      const auto& loop = rule().launches().back().loop;
      if (loop && loop->name == name) return ArgumentType{loop->type, false, false};
      const auto& typed = rule().numbers();
      if (const auto number = std::ranges::find(typed, name, &LaunchRule::Number::name);
          number != typed.end())
        return ArgumentType{number->type, false, false};
      if (holds(rule().names().numbers, name)) return ArgumentType{"i64", false, false};
      return std::nullopt;
    };
    if (const auto type = type_of()) {
      parameters.push_back({name, *type});
      return;
    }
    std::vector<std::string> known = rule().names().tensors;
    for (const LaunchRule::Tensor& tensor : rule().tensors()) known.push_back(tensor.name);
    for (const Operand& scalar : operation_.scalars) known.push_back(scalar.name);
    known.insert(known.end(), rule().names().numbers.begin(), rule().names().numbers.end());
    if (const auto& loop = rule().launches().back().loop) known.push_back(loop->name);
    node.fault_unknown(fmt::format("argument '{}' is neither a tensor nor a number: there are {}", name,
                                   fmt::join(known, ", ")),
                       name, known);
  }

  const StringLines& lines_;
  OperationEntry& operation_;
};

}  // namespace

void read_body(const Node& node, const StringLines& lines, OperationEntry& operation) {
  Reader(lines, operation).read(node);
}

std::string target_condition(std::string_view target) {
  const auto consists_of = [](std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == text.npos;
  };
  if (target == "cpu") return "!KG_GPU";
  if (target.starts_with("gfx") && consists_of(target.substr(3), "0123456789abcdefghijklmnopqrstuvwxyz-")) {
    std::string macro(target);
    std::ranges::replace(macro, '-', '_');
    return fmt::format("defined(__{}__)", macro);
  }
  if (target.starts_with("sm_") && consists_of(target.substr(3), "0123456789") && target.size() < 7)
    return fmt::format("defined(__CUDA_ARCH__) && __CUDA_ARCH__ == {}0", target.substr(3));
  return {};
}

}  // namespace kernelgen::tool
