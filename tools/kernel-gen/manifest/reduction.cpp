#include "manifest/reduction.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernelgen/dtype.hpp"
#include "kernelgen/package_format.h"
#include "source/identifier.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<std::string> keys = {"identity", "of", "combine", "finish", "functor", "state"};
/// By the numbers KERNELGEN_STATE_…, without that of expressions.
const std::vector<std::string> states = {"sum", "extreme", "truth", "index"};

constexpr std::string_view example =
    R"j({"identity": "0", "of": "x * x", "combine": "a + b", "finish": "sqrt(total)"})j";

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
  const auto state = node.need("state");
  const auto name = state ? state->text() : std::nullopt;
  if (!name) return;
  const auto known = std::ranges::find(states, *name);
  if (known == states.end())
    state->fault_unknown(fmt::format("unknown kind of partial results '{}'", *name), *name, states);
  else
    reduction.state = static_cast<std::uint32_t>(known - states.begin());
}

}  // namespace

void check_reduced(const Node& node, const OperationEntry& operation) {
  if (operation.inputs.size() != 1)
    node.fault(fmt::format("a reduction or scan takes one input, not {}", operation.inputs.size()));
  else if (operation.types.size() != 1 || operation.types[0].name != operation.inputs[0].type)
    node.fault(R"(a reduction needs one type variable, which its input has: "types": {"T": ["f32"]}, )"
               R"("inputs": ["x: T"])");
  if (!operation.scalars.empty()) node.fault("a reduction or scan takes no scalars");
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
    check_reduced(node, operation);
    Reduction reduction;
    read_functor(node, *functor, lines, reduction);
    return reduction;
  }
  if (const auto state = node.find("state"))
    state->fault("is for a functor: expressions reduce in f32, f64 or i64");
  check_reduced(node, operation);
  return read_parts(node, lines, operation, has_own_functions);
}

Reduction read_parts(const Node& node, const StringLines& lines, const OperationEntry& operation,
                     bool has_own_functions) {
  Reduction reduction;
  reduction.state = KERNELGEN_STATE_EXPRESSION;
  if (!node.find("identity") || !node.find("combine"))
    node.fault(fmt::format("needs 'identity' and 'combine', as in {}; or a 'functor'", example));
  const std::string input = operation.inputs.empty() ? "x" : operation.inputs[0].name;
  const auto read = [&](const std::string& key, const std::string& otherwise,
                        const std::vector<std::string>& names) {
    return read_expression(node, lines, key, otherwise, names, has_own_functions);
  };
  reduction.identity = read("identity", "0", {"lowest", "highest"});
  reduction.of = read("of", input, {input});
  reduction.combine = read("combine", "a", {"a", "b"});
  std::vector<std::string> totals = {"total", "count"};
  for (const Operand& scalar : operation.scalars) totals.push_back(scalar.name);
  reduction.finish = read("finish", "total", totals);
  return reduction;
}

std::vector<Form> reduction_forms(const OperationEntry& operation) {
  const Reduction& reduction = *operation.reduce;
  const std::string& type = operation.inputs[0].type;
  const std::string functor = reduction.functor.empty() ? operation.name + "_op" : reduction.functor;
  const auto value = [](const char* name, const char* base) { return Parameter{name, {base, false, false}}; };
  const Parameter x{"x", {type, true, true}}, y{"y", {operation.output.type, false, true}};
  const Parameter partials{"partials", {"b64", false, true}}, given{"partials", {"b64", true, true}};
  const Parameter count = value("count", "u64"), group = value("group", "u32"), parts = value("parts", "u32");
  const auto pass = [&](const std::string& name, const char* threads) {
    return Form{
        name,
        {x, y, partials, value("kept", "Strided<1>"), value("reduced", "Strided<1>"), count,
         value(threads, "u32"), value("splits", "u32"), value("first", "u32"), parts, value("index", "u32")},
        {Template(fmt::format("reduce_{}<{}>(x, y, partials, kept, reduced, count, {}, Splits(splits, "
                              "first, parts, index))",
                              name, functor, threads)),
         reduction.line},
        operation.block};
  };
  return {pass("rows", "group"), pass("columns", "across"),
          Form{"combine",
               {given, y, value("outputs", "u64"), parts, count, group},
               {Template(fmt::format("reduce_combine<{}, {{{}}}>(partials, y, outputs, parts, count, group)",
                                     functor, type)),
                reduction.line},
               operation.block}};
}

}  // namespace kernelgen::tool
