#include "manifest/matmul_form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernelgen/dtype.hpp"
#include "manifest/operand_check.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<std::string> keys = {"epilogue"};
constexpr std::string_view example =
    R"j("types": {"T": "F"}, "inputs": ["x: T", "w: T", "bias: T"], "matmul": {"epilogue": "relu(total + bias)"})j";

/// Two matrices of one type variable of floats, and tensors that the epilogue reads.
void check_operands(const Node& node, const OperationEntry& operation) {
  if (operation.inputs.size() < 2)
    return node.fault(
        fmt::format("takes two matrices, then one tensor that the epilogue may read, as in {}", example));
  const std::string& type = operation.inputs[0].type;
  const auto variable = std::ranges::find(operation.types, type, &TypeVariable::name);
  if (variable == operation.types.end() || operation.inputs[1].type != type)
    node.fault(fmt::format("the two matrices must have one type variable, as in {}", example));
  for (const TypeVariable& each : operation.types)
    for (const ElementCode code : each.values)
      if (code >= dtype_count || is_quantized_code(code) ||
          (each.name == type && !is_float(static_cast<DType>(code))))
        return node.fault(fmt::format("type variable '{}' has {}, which is no {}", each.name,
                                      element_name(code), each.name == type ? "float" : "number"));
  for (const auto* list : {&operation.inputs, &operation.scalars})
    for (const Operand& operand : *list)
      if (operand.name == "total")
        node.fault("the name 'total' is taken: it is the element of the product in the epilogue");
}

std::string spelled(const std::string& type) {
  return parse_element(type) ? type : fmt::format("{{{}}}", type);
}

}  // namespace

void read_matmul(const Node& node, const StringLines& lines, OperationEntry& operation,
                 bool has_own_functions) {
  if (!node.expect_object(keys)) return;
  check_operands(node, operation);
  const auto epilogue = node.find("epilogue");
  if (!epilogue) return node.fault(fmt::format("needs an 'epilogue', as in {}", example));
  const auto text = epilogue->text();
  if (!text || operation.inputs.size() < 2) return;
  std::vector<std::string> names = {"total"};
  for (std::size_t k = 2; k < operation.inputs.size(); ++k) names.push_back(operation.inputs[k].name);
  names = joined(names, names_of(operation.scalars));
  Expression expression{*text, lines.at(epilogue->pointer()),
                        parse_expression(*text, {names, has_own_functions})};
  if (const std::string& objection = expression.code.objection; !objection.empty())
    epilogue->fault("epilogue: " + objection);
  operation.epilogue = std::move(expression);
}

std::vector<Form> matmul_forms(const OperationEntry& operation) {
  const auto value = [](std::string name, std::string base) {
    return Parameter{std::move(name), {std::move(base), false, false}};
  };
  const auto pointer = [](std::size_t k, const std::string& type) {
    return Parameter{fmt::format("x{}", k), {type, true, true}};
  };
  std::vector<Parameter> others, strides, scalars;
  std::vector<std::string> types = {operation.name + "_op", spelled(operation.output.type)};
  std::vector<std::string> numbers, number_types;
  std::string operands = "{ }";
  for (std::size_t k = operation.inputs.size(); k-- > 2;)
    operands = fmt::format("{{ x{0}, row{0}, column{0}, {1} }}", k, operands);
  for (std::size_t k = 2; k < operation.inputs.size(); ++k) {
    others.push_back(pointer(k, operation.inputs[k].type));
    strides.push_back(value(fmt::format("row{}", k), "i64"));
    strides.push_back(value(fmt::format("column{}", k), "i64"));
    types.push_back(spelled(operation.inputs[k].type));
  }
  const std::string type = spelled(operation.inputs[0].type);
  for (const Operand& scalar : operation.scalars) {
    // As sums are computed.
    numbers.push_back(fmt::format("static_cast<widened<{}>>(widen(s{}))", type, numbers.size()));
    scalars.push_back(value(fmt::format("s{}", scalars.size()), scalar.type));
  }
  if (!numbers.empty()) types[0] += fmt::format("<widened<{}>>", type);
  const std::string results = fmt::format("MappedResults<{}>{{ {{ {} }}, y, {} }}", fmt::join(types, ", "),
                                          fmt::join(numbers, ", "), operands);
  const std::string batch = fmt::format("Strided<{}>", operation.inputs.size());
  const Parameter a = pointer(0, operation.inputs[0].type), b = pointer(1, operation.inputs[1].type),
                  products{"products", {"b64", true, true}}, y{"y", {operation.output.type, false, true}};
  const auto form = [&](const char* name, std::vector<Parameter> parameters,
                        const std::vector<Parameter>& sizes, const std::string& body) {
    for (const auto& more : {others, {y}, sizes, {value("batch", batch)}, strides, scalars})
      parameters.insert(parameters.end(), more.begin(), more.end());
    return Form{name,
                std::move(parameters),
                {Template(body), operation.epilogue->line},
                operation.block,
                operation.occupancy.empty() ? "two_blocks_two_waves" : operation.occupancy};
  };
  const Parameter rows = value("rows", "u64"), columns = value("columns", "u64"),
                  terms = value("terms", "u64"), a_row = value("a_row", "i64"),
                  a_term = value("a_term", "i64");
  return {form("tiled", {a, b},
               {rows, columns, terms, a_row, a_term, value("b_term", "i64"), value("b_column", "i64")},
               fmt::format("matmul(x0, x1, {}, rows, columns, terms, a_row, a_term, b_term, b_column, batch)",
                           results)),
          form("vector", {a, b}, {rows, terms, a_row, a_term, value("x_term", "i64")},
               fmt::format("matvec(x0, x1, {}, rows, terms, a_row, a_term, x_term, batch)", results)),
          form("mapped", {products}, {rows, columns},
               fmt::format("map_products<{}>(products, {}, rows, columns, batch)", type, results))};
}

}  // namespace kernelgen::tool
