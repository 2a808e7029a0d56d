#include "emit/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/version.hpp"
#include "kernelgen/dtype.hpp"
#include "manifest/struct_type.hpp"

namespace kernelgen::tool {

namespace {

/// The structs that the kernels take and those in them, so that a reader can fill an argument block without a
/// C++ compiler.
Json structs(const KernelSet& set) {
  std::set<std::string_view> used;
  for (const Kernel& kernel : set.kernels)
    for (const Argument& argument : kernel.arguments) used.insert(argument.type);
  const auto types = struct_types();
  for (auto type = types.rbegin(); type != types.rend(); ++type)
    if (used.contains(type->name))
      for (const StructType::Field& field : type->fields)
        used.insert(std::string_view(field.type).substr(0, field.type.find('[')));

  Json rows = Json::array();
  for (const StructType& type : types) {
    if (!used.contains(type.name)) continue;
    Json fields = Json::array();
    for (const StructType::Field& field : type.fields)
      fields.push_back({{"name", field.name}, {"type", field.type}, {"offset", field.offset}});
    rows.push_back({{"name", type.name},
                    {"size", type.layout.size},
                    {"align", type.layout.align},
                    {"fields", std::move(fields)}});
  }
  return rows;
}

Json operands(std::span<const Operand> list) {
  Json rows = Json::array();
  for (const Operand& operand : list) rows.push_back({{"name", operand.name}, {"type", operand.type}});
  return rows;
}

/// As the manifest has it.
Json reduction(const Reduction& reduction) {
  if (!reduction.functor.empty()) {
    Json object = {{"functor", reduction.functor}};
    if (reduction.state & KERNELGEN_STATE_COUNTS_ONE) object["count"] = "1";
    return object;
  }
  return {{"identity", reduction.identity.text},
          {"of", reduction.of.text},
          {"combine", reduction.combine.text},
          {"finish", reduction.finish.text}};
}

/// As the manifest has it, with the steps of long rows where they are others.
Json row_steps(const RowSteps& row) {
  const auto texts = [](const std::vector<RowStep>& steps) {
    Json list = Json::array();
    for (const RowStep& step : steps) list.push_back(step.expression.text);
    return list;
  };
  const Json steps = texts(row.steps), long_steps = texts(row.long_steps);
  const bool has_long = !row.long_steps.empty() && long_steps != steps;
  if (!has_long && row.shared.empty()) return steps;
  Json object = {{"steps", steps}};
  if (has_long) object["long"] = long_steps;
  if (!row.shared.empty()) object["shared"] = row.shared;
  return object;
}

Json operation_row(const KernelSet& set, const Operation& operation) {
  Json row = {{"name", operation.name}, {"module", set.modules[operation.module].name}};
  if (!operation.doc.empty()) row["doc"] = operation.doc;
  if (operation.is_map()) row["expr"] = operation.expr;
  if (operation.reduce)
    row[operation.rule && !operation.index ? "scan" : "reduce"] = reduction(*operation.reduce);
  if (!operation.row.steps.empty()) row["row"] = row_steps(operation.row);
  if (operation.index) row["index"] = operation.index->value.text;
  if (operation.epilogue) row["matmul"] = {{"epilogue", operation.epilogue->text}};
  if (operation.rule) row["body"] = operation.rule->text();
  row["variables"] = Json::array();
  for (const TypeVariable& variable : operation.variables) row["variables"].push_back(variable.name);
  row["inputs"] = operands(operation.inputs());
  row["output"] = operation.output().type;
  row["scalars"] = operands(operation.scalars());
  row["forms"] = operation.forms;
  const auto types = combinations(operation.variables);
  for (std::size_t v = 0; v < operation.variants.size(); ++v) {
    if (operation.variants[v] == KERNELGEN_NO_KERNEL) continue;
    const Kernel& kernel = set.kernels[operation.variants[v]];
    const std::vector<ElementCode>& values = types[v / operation.forms.size()];
    const bool is_own =
        set.operations[*kernel.operation].name == operation.name &&
        std::ranges::equal(values, kernel.types, {}, [](ElementCode code) { return element_name(code); });
    if (!is_own)
      row["kernels_of"][operation.forms[v % operation.forms.size()]][spell_types(values)] = kernel.name;
  }
  if (operation.is_swapped) row["swapped"] = true;
  return row;
}

Json kernel_row(const KernelSet& set, std::size_t id) {
  const Kernel& kernel = set.kernels[id];
  Json row = {{"id", id}, {"name", kernel.name}, {"module", set.modules[kernel.module].name}};
  if (kernel.operation) {
    const Operation& operation = set.operations[*kernel.operation];
    row["operation"] = operation.name;
    row["form"] = operation.forms[kernel.form];
  }
  row["types"] = kernel.types;
  row["block"] = kernel.block;
  row["kernarg_bytes"] = kernel.kernarg_bytes;
  row["arguments"] = Json::array();
  for (const Argument& a : kernel.arguments)
    row["arguments"].push_back({{"name", a.name},
                                {"type", a.type},
                                {"offset", a.offset},
                                {"size", a.size},
                                {"written", a.is_written}});
  return row;
}

Json target_row(const Target& target) {
  Json row = {{"name", target.name}, {"kind", name_of(target.kind)}, {"wave_sizes", target.wave_sizes}};
  if (target.kind != TargetKind::cpu) row["isa"] = target.isa;
  if (target.kind == TargetKind::cuda) row["code"] = target.is_ptx ? "ptx" : "cubin";
  if (target.kind != TargetKind::hip) return row;
  row["machine"] = fmt::format("{:#05x}", target.machine);
  row["features"] = target.features;
  row["generic"] = target.generic ? Json(*target.generic) : Json(nullptr);
  row["code_object_version"] = target.code_object_version;
  return row;
}

}  // namespace

Json registry_json(const KernelSet& set, const TargetTable& targets) {
  Json json = {{"generator", fmt::format("kernel-gen {}", version)},
               {"hash", fmt::format("{:016x}", set.hash())}};
  for (const Module& m : set.modules)
    json["modules"].push_back({{"name", m.name},
                               {"doc", m.doc},
                               {"manifest", m.manifest},
                               {"hash", fmt::format("{:016x}", m.hash)},
                               {"header", m.header},
                               {"first_kernel", m.first_kernel},
                               {"kernel_count", m.kernel_count}});
  json["operations"] = Json::array();
  for (const Operation& operation : set.operations)
    json["operations"].push_back(operation_row(set, operation));
  for (std::size_t id = 0; id < set.kernels.size(); ++id) json["kernels"].push_back(kernel_row(set, id));
  json["structs"] = structs(set);
  for (const Target& target : targets.targets) json["targets"].push_back(target_row(target));
  return json;
}

std::string format_rows(const Json& json) {
  std::string text;
  for (const auto& [key, value] : json.items()) {
    text += fmt::format("{}  {}: ", text.empty() ? "{\n" : ",\n", Json(key).dump());
    if (!value.is_array() || value.empty()) {
      text += value.dump();
      continue;
    }
    for (std::size_t i = 0; i < value.size(); ++i)
      text += fmt::format("{}    {}", i == 0 ? "[\n" : ",\n", value[i].dump());
    text += "\n  ]";
  }
  return text + "\n}\n";
}

}  // namespace kernelgen::tool
