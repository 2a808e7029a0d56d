#include "manifest/reduction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernelgen/dtype.hpp"
#include "kernelgen/package_format.h"
#include "manifest/operand_check.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<std::string> keys = {"identity", "of", "combine", "finish", "functor", "state", "count"};
/// By the numbers KERNELGEN_STATE_…, without that of expressions.
const std::vector<std::string> states = {"sum", "extreme", "truth", "index"};

constexpr std::string_view example =
    R"j({"identity": "0", "of": "x * x", "combine": "a + b", "finish": "sqrt(total)"})j";
constexpr std::string_view inputs_example =
    R"j("inputs": ["x: T", "w: T"], "reduce": {"identity": "0", "of": "x * w", "combine": "a + b"})j";

/// Whether its expressions read several inputs, or scalars.
bool reads_operands(const OperationEntry& operation) {
  return operation.inputs.size() > 1 || !operation.scalars.empty();
}

/// An expression over `names`; `otherwise` where the key is missing.
Expression read_expression(const Node& owner, const StringLines& lines, const std::string& key,
                           const std::string& otherwise, const std::vector<std::string>& names,
                           bool has_own_functions) {
  const auto node = owner.find(key);
  const std::string text = node ? node->text().value_or(otherwise) : otherwise;
  Expression expression{text, node && node->value().is_string() ? lines.at(node->pointer()) : 0,
                        parse_expression(text, {names, has_own_functions})};
  if (const std::string& objection = expression.code.objection; node && !objection.empty())
    node->fault(key + ": " + objection);
  return expression;
}

/// "NAME" or "NAMESPACE::NAME".
std::string functor_objection(std::string_view name) {
  for (auto colons = name.find("::"); colons != std::string_view::npos; colons = name.find("::")) {
    if (const std::string objection = identifier_objection(name.substr(0, colons)); !objection.empty())
      return objection;
    name.remove_prefix(colons + 2);
  }
  return identifier_objection(name);
}

void read_functor(const Node& node, const Node& functor, const StringLines& lines, Reduction& reduction) {
  for (const char* key : {"identity", "of", "combine", "finish"})
    if (const auto expression = node.find(key))
      expression->fault("is given with 'functor'; a reduction is a functor or expressions");
  if (const auto name = functor.text()) {
    reduction.functor = *name;
    reduction.line = lines.at(functor.pointer());
    if (const std::string objection = functor_objection(*name); !objection.empty())
      functor.fault(fmt::format("'{}' {}", *name, objection));
  }
  const auto count = node.find("count");
  if (count && count->text().value_or("1") != "1")
    count->fault(R"(is "1": what kernels take instead of the number of elements)");
  const auto state = node.need("state");
  const auto name = state ? state->text() : std::nullopt;
  if (!name) return;
  const auto known = std::ranges::find(states, *name);
  if (known == states.end())
    state->fault_unknown(fmt::format("unknown kind of partial results '{}'", *name), *name, states);
  else
    reduction.state =
        static_cast<std::uint32_t>(known - states.begin()) | (count ? KERNELGEN_STATE_COUNTS_ONE : 0);
}

/// What differs between the kernels of a reduction of one input and those with several, or with scalars.
struct ReductionCalls {
  std::vector<Parameter> inputs, scalars;
  std::string layout;         ///< the type of `kept` and `reduced`
  std::string prefix;         ///< of the functions' names
  std::string pass, combine;  ///< what follows the functions' names
};

ReductionCalls calls_of_one(const OperationEntry& operation) {
  const Reduction& reduction = *operation.reduce;
  const std::string& type = operation.inputs[0].type;
  const std::string functor = reduction.functor.empty() ? operation.name + "_op" : reduction.functor;
  return {{{"x", {type, true, true}}},
          {},
          "Strided<1>",
          "reduce_",
          fmt::format("<{}>(x", functor),
          fmt::format("<{}, {{{}}}>(", functor, type)};
}

/// In its kernels inputs are x0, x1, … and scalars s0, s1, …: an operand's own name may be that of a parameter.
ReductionCalls calls_of_operands(const OperationEntry& operation) {
  ReductionCalls calls;
  const std::string type = fmt::format("{{{}}}", operation.inputs[0].type);
  std::vector<std::string> inputs, nulls, types, scalars;
  for (const Operand& input : operation.inputs) {
    inputs.push_back(fmt::format("x{}", inputs.size()));
    nulls.emplace_back("nullptr");
    calls.inputs.push_back({inputs.back(), {input.type, true, true}});
  }
  for (const Operand& scalar : operation.scalars) {
    const std::string name = fmt::format("s{}", scalars.size());
    scalars.push_back(fmt::format("reduction_scalar<{}>({})", type, name));
    types.push_back(fmt::format("decltype({})", scalars.back()));
    calls.scalars.push_back({name, {scalar.type, false, false}});
  }
  calls.layout = fmt::format("Strided<{}>", inputs.size());
  const auto object = [&](const std::vector<std::string>& pointers) {
    return fmt::format("InputsReduction<{}_op{}, {}, {}>{{ {{ {} }}, {{ {} }} }}", operation.name,
                       types.empty() ? "" : fmt::format("<{}>", fmt::join(types, ", ")), type, inputs.size(),
                       fmt::join(scalars, ", "), fmt::join(pointers, ", "));
  };
  calls.prefix = "reduce_input_";
  calls.pass = fmt::format("({}", object(inputs));
  calls.combine = fmt::format("({}, ", object(nulls));
  return calls;
}

}  // namespace

const std::vector<std::string> reduction_words = {"lowest", "highest",  "a",  "b",       "total",
                                                  "count",  "identity", "of", "combine", "finish"};

void check_reduced(const Node& node, const OperationEntry& operation, std::string_view of_one) {
  const std::size_t count = operation.inputs.size();
  const bool has_operands = reads_operands(operation);
  if (count == 0 || (count > 1 && !of_one.empty()))
    node.fault(fmt::format("{} takes one input, not {}", of_one.empty() ? "a reduction" : of_one, count));
  else if (operation.types.size() != 1 || !std::ranges::all_of(operation.inputs, [&](const Operand& input) {
             return input.type == operation.types[0].name;
           }))
    node.fault(
        fmt::format("a reduction needs one type variable, which its inputs have: \"types\": "
                    "{{\"T\": [\"f32\"]}}, {}",
                    has_operands ? inputs_example : R"("inputs": ["x: T"])"));
  if (!operation.scalars.empty() && !of_one.empty()) node.fault(fmt::format("{} takes no scalars", of_one));
  for (const auto* list : {&operation.inputs, &operation.scalars})
    for (const Operand& operand : *list)
      if (has_operands && holds(reduction_words, operand.name))
        node.fault(
            fmt::format("the name '{}' is taken by the expressions of a reduction: give the operand "
                        "another one, as in {}",
                        operand.name, inputs_example));
  for (const TypeVariable& variable : operation.types)
    if (std::ranges::any_of(variable.values,
                            [](ElementCode code) { return code >= dtype_count || is_quantized_code(code); }))
      node.fault(
          fmt::format("type variable '{}' has types that cannot be combined: use numbers, \"F\", \"I\" "
                      "or \"all\"",
                      variable.name));
}

std::optional<Reduction> read_reduction(const Node& node, const StringLines& lines,
                                        const OperationEntry& operation, bool has_own_functions) {
  if (!node.expect_object(keys)) return std::nullopt;
  if (const auto functor = node.find("functor")) {
    check_reduced(node, operation, "a reduction by a functor");
    Reduction reduction;
    read_functor(node, *functor, lines, reduction);
    return reduction;
  }
  if (const auto state = node.find("state"))
    state->fault("is for a functor: expressions reduce in f32, f64 or i64");
  if (const auto count = node.find("count"))
    count->fault("is for a functor: expressions name what they take");
  check_reduced(node, operation, "");
  return read_expressions(node, lines, operation, has_own_functions);
}

Reduction read_expressions(const Node& node, const StringLines& lines, const OperationEntry& operation,
                           bool has_own_functions) {
  Reduction reduction;
  reduction.state = KERNELGEN_STATE_EXPRESSION;
  if (!node.find("identity") || !node.find("combine"))
    node.fault(fmt::format("needs 'identity' and 'combine', as in {}; or a 'functor'", example));
  const std::string first = operation.inputs.empty() ? "x" : operation.inputs[0].name;
  const std::vector<std::string> scalars = names_of(operation.scalars);
  const auto read = [&](const std::string& key, const std::string& otherwise,
                        const std::vector<std::string>& names) {
    return read_expression(node, lines, key, otherwise, names, has_own_functions);
  };
  reduction.identity = read("identity", "0", {"lowest", "highest"});
  reduction.of = read("of", first, joined(names_of(operation.inputs), scalars));
  reduction.combine = read("combine", "a", {"a", "b"});
  reduction.finish = read("finish", "total", joined({"total", "count"}, scalars));
  return reduction;
}

std::vector<Form> reduction_forms(const OperationEntry& operation) {
  const ReductionCalls calls =
      reads_operands(operation) ? calls_of_operands(operation) : calls_of_one(operation);
  const auto value = [](const char* name, const char* base) { return Parameter{name, {base, false, false}}; };
  const Parameter y{"y", {operation.output.type, false, true}};
  const Parameter partials{"partials", {"b64", false, true}}, given{"partials", {"b64", true, true}};
  const Parameter count = value("count", "u64"), group = value("group", "u32"), parts = value("parts", "u32");
  const auto form = [&](const std::string& name, std::vector<Parameter> parameters, const std::string& body) {
    parameters.insert(parameters.end(), calls.scalars.begin(), calls.scalars.end());
    return Form{name, std::move(parameters), {Template(body), operation.reduce->line}, operation.block};
  };
  const auto pass = [&](const std::string& name, const char* threads) {
    std::vector<Parameter> parameters = calls.inputs;
    for (const Parameter& parameter :
         {y, partials, value("kept", calls.layout.c_str()), value("reduced", calls.layout.c_str()), count,
          value(threads, "u32"), value("splits", "u32"), value("first", "u32"), parts, value("index", "u32")})
      parameters.push_back(parameter);
    return form(
        name, std::move(parameters),
        fmt::format("{}{}{}, y, partials, kept, reduced, count, {}, Splits(splits, first, parts, index))",
                    calls.prefix, name, calls.pass, threads));
  };
  return {pass("rows", "group"), pass("columns", "across"),
          form("combine", {given, y, value("outputs", "u64"), parts, count, group},
               fmt::format("{}combine{}partials, y, outputs, parts, count, group)", calls.prefix,
                           calls.combine))};
}

}  // namespace kernelgen::tool
