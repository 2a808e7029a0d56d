#include "manifest/entry_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kernelgen/dtype.hpp"
#include "kernelgen/package_format.h"
#include "manifest/body_form.hpp"
#include "manifest/index_form.hpp"
#include "manifest/launch_bounds.hpp"
#include "manifest/matmul_form.hpp"
#include "manifest/operand_check.hpp"
#include "manifest/reduction.hpp"
#include "manifest/reference.hpp"
#include "manifest/row_steps.hpp"
#include "manifest/scan_form.hpp"
#include "manifest/statement_text.hpp"
#include "manifest/type_set.hpp"
#include "source/body.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {

namespace {

constexpr std::uint32_t default_block = 256;
/// Scalar registers that kernels with strides of several inputs may spill to vector registers on gfx9.
constexpr std::uint32_t input_spills = 32;

const std::vector<std::string> defaults_keys = {"types", "inputs", "output", "scalars",
                                                "args",  "forms",  "block",  "occupancy"};
const std::vector<std::string> operation_keys = {
    "op",     "doc",   "types",     "inputs", "scalars",   "output",     "expr",
    "reduce", "row",   "scan",      "index",  "body",      "matmul",     "args",
    "forms",  "block", "occupancy", "budget", "reference", "kernels_of", "swapped"};
const std::vector<std::string> ways = {"expr",  "reduce", "row",   "scan",
                                       "index", "body",   "matmul"};  // an operation has one of them
const std::vector<std::string> symbol_keys = {"name", "doc",  "each",  "types",     "spell",
                                              "args", "body", "block", "occupancy", "budget"};
const std::vector<std::string> form_keys = {"args", "body", "block", "occupancy", "kernels_of"};

/// Limits the entries of a list, because each is compared with all others.
constexpr std::size_t most_entries = 256;

const std::vector<std::string> reserved_names = {"y", "n", "layout"};
/// Headers that give expressions the functions of the vocabulary and no others.
const std::vector<std::string> plain_headers = {
    "elementwise/map.hpp",        "elementwise/binary.hpp",   "reduce/reduce.hpp", "row/row.hpp",
    "index/expression_index.hpp", "scan/expression_scan.hpp", "matmul/matmul.hpp"};
/// Names that generated sources use; an operand of the same name would hide them.
const std::vector<std::string> called_names = {"map", "widen", "widened", "kg"};

void check_identifier(const Node& node, std::string_view name) {
  if (const std::string objection = identifier_objection(name); !objection.empty())
    node.fault(fmt::format("'{}' {}", name, objection));
  else if (holds(base_type_names(), name))
    node.fault(fmt::format("'{}' is the name of a type", name));
}

/// "NAME: TYPE" as the name and the type.
std::optional<std::pair<std::string, std::string>> split_declaration(const Node& node,
                                                                     std::string_view wanted) {
  const auto text = node.text();
  if (!text) return std::nullopt;
  const auto colon = text->find(':');
  if (colon == std::string::npos) {
    node.fault(fmt::format("'{}' must be \"NAME: {}\"", *text, wanted));
    return std::nullopt;
  }
  const std::string_view whole = *text;
  return std::pair{std::string(trimmed(whole.substr(0, colon))),
                   std::string(trimmed(whole.substr(colon + 1)))};
}

std::vector<TypeVariable> read_types(const std::optional<Node>& node) {
  std::vector<TypeVariable> types;
  if (!node) return types;
  for (const auto& [name, values] : node->members(most_entries)) {
    check_identifier(values, name);
    types.push_back({name, read_type_set(values)});
  }
  if (types.size() > KERNELGEN_MAX_TYPE_VARIABLES)
    node->fault(fmt::format("has {} type variables; at most {} are possible", types.size(),
                            KERNELGEN_MAX_TYPE_VARIABLES));
  return types;
}

void check_element(const Node& node, const std::string& type, const std::vector<TypeVariable>& types) {
  const std::vector<std::string> known = joined(names_of(types), element_names());
  if (!holds(known, type)) {
    node.fault_unknown(fmt::format("unknown type '{}'", type), type, known);
  } else if (const auto code = parse_element(type); code && *code >= dtype_count) {
    node.fault(
        fmt::format("'{0}' is not a dtype, so no tensor or scalar can be of it; a type variable of [\"{0}\"] "
                    "takes every dtype of that width",
                    type));
  }
}

/// Whether elements of the type, a dtype or a type variable, can come in blocks.
bool can_be_quantized(const std::string& type, const std::vector<TypeVariable>& types) {
  if (const auto code = parse_element(type)) return is_quantized_code(*code);
  const auto variable = std::ranges::find(types, type, &TypeVariable::name);
  return variable != types.end() && std::ranges::any_of(variable->values, is_quantized_code);
}

void check_plain(const Node& node, std::string_view what, const std::string& type,
                 const std::vector<TypeVariable>& types) {
  if (can_be_quantized(type, types))
    node.fault(fmt::format(
        "{} of type '{}' may be quantized, and blocks of elements are taken by pointers of forms only", what,
        type));
}

/// `output`, unless empty, replaces a parameter's type "output". `is_of_binary`: kernels may have no parameters.
std::vector<Parameter> read_parameters(const std::optional<Node>& args,
                                       const std::vector<TypeVariable>& types, const std::string& output = {},
                                       bool is_of_binary = false) {
  std::vector<Parameter> parameters;
  if (!args) return parameters;
  const std::vector<std::string> known = joined(names_of(types), base_type_names());
  for (const Node& node : args->items(most_entries)) {
    const auto declaration = split_declaration(node, "TYPE");
    if (!declaration) continue;
    const auto& [name, spelled] = *declaration;
    check_identifier(node, name);
    if (std::ranges::find(parameters, name, &Parameter::name) != parameters.end())
      node.fault(fmt::format("argument '{}' is given twice", name));
    auto type = parse_argument_type(spelled);
    if (type && type->base == "output" && !output.empty()) type->base = output;
    if (!type) {
      node.fault(fmt::format("'{}' is not an argument type: write TYPE, TYPE* or const TYPE*", spelled));
    } else if (!holds(known, type->base) && !opaque_type_layout(type->base)) {
      node.fault_unknown(fmt::format("unknown type '{}'", type->base), type->base, known);
    } else {
      if (!type->is_pointer) check_plain(node, "an argument", type->base, types);
      parameters.push_back({name, *std::move(type)});
    }
  }
  if (!is_of_binary && args->value().is_array() && args->value().empty())
    args->fault("a kernel needs at least one argument");
  return parameters;
}

/// A text with "{T}" for type variables. Adds a fault for each name in braces that is not one.
Template read_template(const Node& node, std::string_view text, const std::vector<TypeVariable>& types) {
  Template filled(text);
  const std::vector<std::string> known = names_of(types);
  for (const std::string& name : filled.placeholders())
    if (!holds(known, name))
      node.fault_unknown(fmt::format("unknown type variable '{{{}}}'", name), name, known);
  return filled;
}

/// Replaces `name`, such as "{op}", by `word`, unless that is empty.
void put_word(std::string& text, std::string_view name, const std::string& word) {
  for (auto at = text.find(name); !word.empty() && at != std::string::npos;
       at = text.find(name, at + word.size()))
    text.replace(at, name.size(), word);
}

/// {"f8e4m3": "f8_e4m3"}
Spelling read_spelling(const std::optional<Node>& node) {
  Spelling spelling;
  if (!node) return spelling;
  for (const auto& [type, spelled] : node->members()) {
    if (!parse_element(type))
      spelled.fault_unknown(fmt::format("unknown dtype '{}'", type), type, element_names());
    if (const auto text = spelled.text()) spelling[type] = *text;
  }
  return spelling;
}

/// The words that "{op}" stands for in turn; a single empty word without the key.
std::vector<std::string> read_words(const std::optional<Node>& node) {
  if (!node) return {""};
  std::vector<std::string> words;
  for (const Node& item : node->items())
    if (const auto word = item.text()) {
      check_identifier(item, *word);
      words.push_back(*word);
    }
  if (node->value().is_array() && words.empty()) node->fault("lists no word");
  return words;
}

/// Adds a fault for a form that is derived already from the operation's expr, reduction, row, scan, index, body or matmul.
void check_not_made(const Node& node, const std::string& name, const OperationEntry& operation) {
  const auto refuse = [&](std::string_view way) {
    node.fault(fmt::format("form '{}' is already made from the {}", name, way));
  };
  if (!operation.expr.empty() && (name == "contiguous" || name == "strided")) refuse("expr");
  if (std::ranges::find(operation.forms, name, &Form::name) != operation.forms.end())
    refuse("operation's rule");
  if (!operation.row.empty() && holds(row_form_names, name)) refuse("row");
  if (operation.reduce && holds(reduction_form_names, name)) refuse("reduction");
  if (operation.epilogue && holds(matmul_form_names, name)) refuse("matmul");
}

}  // namespace

EntryReader::EntryReader(const Node& root, const StringLines& lines)
    : lines_(lines),
      defaults_(root.find("defaults")),
      budget_(read_budget(root, {})),
      block_(default_block),
      has_own_header_(root.find("header") && !holds(plain_headers, root.text_or("header", ""))),
      is_of_binary_(root.find("binary").has_value()) {
  if (!defaults_) return;
  if (defaults_->expect_object(defaults_keys)) {
    block_ = read_block(*defaults_, default_block);
    occupancy_ = read_occupancy(*defaults_, {});
  } else {
    defaults_.reset();
  }
}

std::optional<Node> EntryReader::find(const Node& entry, const std::string& key) const {
  auto own = entry.find(key);
  return own || !defaults_ ? own : defaults_->find(key);
}

std::vector<Operand> EntryReader::operands(const Node& entry, const std::string& key, std::size_t most,
                                           const std::vector<TypeVariable>& types) const {
  std::vector<Operand> list;
  const auto array = find(entry, key);
  if (!array) return list;
  for (const Node& node : array->items(most)) {
    const auto declaration = split_declaration(node, "DTYPE");
    if (!declaration) continue;
    const auto& [name, type] = *declaration;
    check_identifier(node, name);
    if (holds(reserved_names, name))
      node.fault(fmt::format("'{}' is taken: y, n and layout are every map's own", name));
    else if (holds(called_names, name) || is_type_parameter(name))
      node.fault(fmt::format("'{}' is taken: the generated source has another meaning for it", name));
    check_element(node, type, types);
    list.push_back({name, type});
  }
  return list;
}

Body EntryReader::body(const Node& owner, const std::vector<TypeVariable>& types, const std::string& word,
                       const std::vector<Parameter>& parameters) const {
  const auto node = owner.need("body");
  auto text = node ? node->text() : std::nullopt;
  if (!text) return {Template("")};
  put_word(*text, "{op}", word);
  std::string names;
  for (const Parameter& parameter : parameters) names += (names.empty() ? "" : ", ") + parameter.name;
  put_word(*text, "{args}", names);
  Body body = {read_template(*node, *text, types), lines_.at(node->pointer())};
  if (const std::string objection = body_objection(body.text.plain()); !objection.empty())
    node->fault("body " + objection);
  return body;
}

std::vector<Form> EntryReader::forms(const Node& entry, const OperationEntry& operation) const {
  std::vector<Form> list;
  const auto object = find(entry, "forms"), shared = find(entry, "args");
  if (const auto own = entry.find("args"); own && !object) own->fault("is given without forms");
  if (!object) return list;
  const std::vector<Parameter> shared_parameters =
      read_parameters(shared, operation.types, operation.output.type);
  for (const auto& [name, node] : object->members(most_entries)) {
    check_identifier(node, name);
    if (!node.expect_object(form_keys)) continue;
    Form form{name, {}, {Template("")}, read_block(node, operation.block)};
    const auto owner = node.find("kernels_of");
    if (owner) form.owners = read_kernel_owners(*owner, operation.types);
    const bool is_own = !owner || (owner->value().is_object() && node.value().size() > 1);
    if (is_own || !owner->value().is_object()) check_not_made(node, name, operation);
    if (is_own) {
      const bool is_shared = shared && !node.find("args");
      form.parameters = is_shared
                            ? shared_parameters
                            : read_parameters(node.need("args"), operation.types, operation.output.type);
      form.body = body(node, operation.types, operation.name, form.parameters);
      form.occupancy = read_occupancy(node, {});
    } else {
      for (const std::string& key : form_keys)
        if (key != "kernels_of" && node.find(key))
          owner->fault(fmt::format("is given with '{}', which the form of that operation has", key));
    }
    list.push_back(std::move(form));
  }
  return list;
}

void EntryReader::read_map(const Node& node, const Node& expr, OperationEntry& entry) const {
  const auto text = expr.text();
  if (!text) return;
  entry.expr = *text;
  entry.expr_line = lines_.at(expr.pointer());
  std::vector<std::string> names;
  for (const auto* list : {&entry.inputs, &entry.scalars})
    for (const Operand& operand : *list) names.push_back(operand.name);
  entry.expr_code = parse_expression(*text, {names, has_own_header_});
  if (!entry.expr_code.objection.empty()) expr.fault("expr: " + entry.expr_code.objection);
  const auto inputs = find(node, "inputs");
  if (!inputs || inputs->value().empty()) node.fault("an operation with an expr needs at least one input");
  for (const Operand& input : entry.inputs) check_plain(expr, "an input of an expr", input.type, entry.types);
  check_plain(expr, "the output of an expr", entry.output.type, entry.types);
}

std::optional<OperationEntry> EntryReader::operation(const Node& node) const {
  if (!node.expect_object(operation_keys)) return std::nullopt;
  OperationEntry entry;
  entry.pointer = node.pointer();
  if (const auto name = node.need("op"))
    if (const auto text = name->text()) {
      entry.name = *text;
      check_identifier(*name, *text);
    }
  entry.doc = node.text_or("doc", "");
  entry.types = read_types(find(node, "types"));
  entry.inputs = operands(node, "inputs", KERNELGEN_MAX_INPUTS, entry.types);
  entry.scalars = operands(node, "scalars", KERNELGEN_MAX_SCALARS, entry.types);
  if (const auto scalars = find(node, "scalars"))
    for (const Operand& scalar : entry.scalars) check_plain(*scalars, "a scalar", scalar.type, entry.types);
  entry.block = read_block(node, block_);
  entry.occupancy = read_occupancy(node, occupancy_);
  entry.budget = read_budget(node, budget_);
  if (const char* const form = node.find("body")    ? "body"
                               : node.find("index") ? "index"
                                                    : nullptr;
      form != nullptr) {
    if (const auto output = node.find("output"))
      output->fault(fmt::format("is given with '{}', which says what the operation gives", form));
  } else if (const auto output = find(node, "output")) {
    if (const auto type = output->text()) {
      check_element(*output, *type, entry.types);
      entry.output = {"y", *type};
      check_variables_used(node, entry);
    }
  } else {
    node.fault("key 'output' is missing");
  }
  check_operand_names(node, entry);
  std::string way;
  for (const std::string& key : ways) {
    const auto given = node.find(key);
    if (!given) continue;
    if (!way.empty())
      given->fault(fmt::format("is given with '{}'; an operation is computed in one way", way));
    way = key;
    if (key == "expr") read_map(node, *given, entry);
    if (key == "reduce") {
      entry.reduce = read_reduction(*given, lines_, entry, has_own_header_);
      if (entry.inputs.size() > 1) entry.budget.spills = std::max(entry.budget.spills, input_spills);
    }
    if (key == "body") read_body(*given, lines_, entry);
    if (key == "scan") read_scan(*given, lines_, entry, has_own_header_);
    if (key == "index") read_index(*given, lines_, entry, has_own_header_);
    if (key == "body" || key == "index") check_variables_used(node, entry);
    if (key == "matmul") {
      read_matmul(*given, lines_, entry, has_own_header_);
      entry.budget.spills = std::max(entry.budget.spills, input_spills);
    }
    if (key == "row") entry.row = read_row(*given, lines_, entry, has_own_header_);
  }
  if (const auto reference = node.find("reference")) read_reference(*reference, entry);
  read_kernel_owners(node, entry);
  if (const auto forms = find(node, "forms");
      way.empty() && (!forms || (forms->value().is_object() && forms->value().empty())))
    node.fault(
        "needs an expr, a reduce, a row, a scan, an index, a body, a matmul or forms: nothing says how it is "
        "computed");
  std::ranges::move(forms(node, entry), std::back_inserter(entry.forms));
  return entry;
}

void EntryReader::symbols(const Node& node, std::vector<SymbolEntry>& list) const {
  if (!node.expect_object(symbol_keys)) return;
  const auto types = read_types(node.find("types"));
  const Spelling spelling = read_spelling(node.find("spell"));
  for (const std::string& word : read_words(node.find("each"))) {
    Template name("");
    if (const auto key = node.need("name"))
      if (auto text = key->text()) {
        put_word(*text, "{op}", word);
        name = read_template(*key, *text, types);
        if (!is_of_binary_) check_identifier(*key, name.plain());
      }
    std::vector<Parameter> parameters = read_parameters(node.need("args"), types, {}, is_of_binary_);
    Body called = is_of_binary_ ? Body{Template("")} : body(node, types, word, parameters);
    list.push_back({std::move(name), spelling, node.pointer(), types, std::move(parameters),
                    std::move(called), read_block(node, block_), read_occupancy(node, occupancy_),
                    read_budget(node, budget_)});
  }
}

}  // namespace kernelgen::tool
