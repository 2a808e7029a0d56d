#include "manifest/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"
#include "manifest/operand_check.hpp"
#include "manifest/statement_text.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<std::string> keys = {"expr", "draw", "tolerance"};
constexpr std::string_view example =
    R"j({"expr": "np.take(x, ids, axis=0)", "draw": {"x": "[m, n]", "ids": "[k] from 0 to m - 1"}})j";

/// The entries between brackets.
std::vector<std::string_view> split_entries(std::string_view text) {
  std::vector<std::string_view> entries = list_entries(text);
  for (std::string_view& entry : entries) entry = trimmed(entry);
  if (entries.size() == 1 && entries[0].empty()) entries.clear();
  return entries;
}

/// Reads draws one after the other: each may use the dims and integers of those before it.
class DrawReader {
 public:
  explicit DrawReader(const OperationEntry& operation) : operation_(operation) {}

  void read(const Node& node, const std::string& name) {
    const auto found = node.text();
    if (!found) return;
    Draw draw{name};
    const bool is_input =
        std::ranges::find(operation_.inputs, name, &Operand::name) != operation_.inputs.end();
    std::string_view text = trimmed(*found);
    try {
      if (text.starts_with('[')) {
        if (!is_input) throw DimFault{"is a scalar, which has no shape"};
        const auto close = text.find(']');
        if (close == text.npos) throw DimFault{"has '[' that is never closed"};
        draw.shape = shape(text.substr(1, close - 1));
        text = trimmed(text.substr(close + 1));
      }
      if (!text.empty()) read_range(text, draw);
    } catch (const DimFault& fault) {
      return node.fault(
          fmt::format("'{}' is not drawn as {}: {}; as in {}", name, *found, fault.why, example));
    }
    if (!is_input) numbers.push_back(name);
    draws.push_back(std::move(draw));
  }

  std::vector<Draw> draws;
  std::vector<std::string> numbers;

 private:
  DimNames names() const { return {{}, numbers}; }

  std::vector<Draw::Extent> shape(std::string_view text) {
    std::vector<Draw::Extent> extents;
    for (const std::string_view entry : split_entries(text)) {
      if (identifier_objection(entry).empty() && !holds(numbers, entry)) {
        extents.push_back({std::string(entry)});
        numbers.emplace_back(entry);
      } else {
        extents.push_back({{}, DimExpression::parse(entry, names())});
      }
    }
    return extents;
  }

  /// "from LOW to HIGH", or one number.
  void read_range(std::string_view text, Draw& draw) {
    if (!text.starts_with("from ")) {
      draw.low = draw.high = bound(text);
      return;
    }
    const auto to = text.find(" to ");
    if (to == text.npos) throw DimFault{"values are \"from LOW to HIGH\""};
    draw.low = bound(trimmed(text.substr(5, to - 5)));
    draw.high = bound(trimmed(text.substr(to + 4)));
  }

  Draw::Bound bound(std::string_view text) const {
    Draw::Bound bound;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), bound.number);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size())
      bound.expression = DimExpression::parse(text, names());
    return bound;
  }

  const OperationEntry& operation_;
};

}  // namespace

std::vector<std::string> output_names(const OperationEntry& operation) {
  std::vector<std::string> names;
  if (operation.rule)
    for (const LaunchRule::Tensor& tensor : operation.rule->tensors())
      if (tensor.is_output()) names.push_back(tensor.name);
  return names.empty() ? std::vector<std::string>{operation.output.name} : names;
}

Reference read_reference(const Node& node, const OperationEntry& operation) {
  Reference reference;
  std::vector<std::string> names;
  for (const auto* list : {&operation.inputs, &operation.scalars})
    for (const Operand& operand : *list) names.push_back(operand.name);
  const std::vector<std::string> operands = names;
  if (operation.reduce && !operation.rule) names.insert(names.end(), {"dims", "keep_dims"});
  const auto read = [&](const Node& expression) {
    const auto text = expression.text();
    if (!text) return;
    try {
      reference.outputs.push_back(ArrayExpression::parse(*text, names));
    } catch (const ArrayFault& fault) {
      expression.fault(fault.why);
    }
  };
  const std::vector<std::string> outputs = output_names(operation);
  const auto read_outputs = [&](const Node& expressions) {
    if (!expressions.value().is_object()) {
      if (outputs.size() > 1)
        expressions.fault(fmt::format(
            "the operation has {} results: give an object with an expression for each", outputs.size()));
      return read(expressions);
    }
    if (!expressions.expect_object(outputs)) return;
    for (const std::string& output : outputs)
      if (const auto one = expressions.need(output)) read(*one);
  };
  if (!node.value().is_object()) {
    read_outputs(node);
    return reference;
  }
  if (!node.expect_object(keys)) return reference;
  if (const auto expression = node.need("expr")) read_outputs(*expression);
  if (const auto tolerance = node.find("tolerance")) {
    const Json& value = tolerance->value();
    if (value.is_number()) reference.tolerance = value.get<double>();
    if (!(reference.tolerance > 0 && reference.tolerance < 1))
      tolerance->fault(
          "must be a number between 0 and 1: the error that results may have, relative to their magnitude");
  }
  const auto draw = node.find("draw");
  if (!draw) return reference;
  DrawReader reader(operation);
  for (const auto& [name, text] : draw->members())
    if (holds(operands, name))
      reader.read(text, name);
    else
      text.fault_unknown(fmt::format("there is no input or scalar '{}'", name), name, operands);
  reference.draws = std::move(reader.draws);
  reference.numbers = std::move(reader.numbers);
  return reference;
}

std::map<std::string, Reference> references_of(const Manifest& manifest) {
  std::map<std::string, Reference> references;
  Faults faults;
  const auto json = parse_json(manifest.file, manifest.text, faults);
  faults.throw_if_any();
  const Node root(*json, manifest.file, faults);
  const auto operations = root.find("operations");
  if (!operations) return references;
  for (const Node& node : operations->items())
    for (const OperationEntry& operation : manifest.operations)
      if (operation.pointer == node.pointer())
        if (const auto reference = node.find("reference"))
          references.emplace(operation.name, read_reference(*reference, operation));
  faults.throw_if_any();
  return references;
}

}  // namespace kernelgen::tool
