#include "emit_json.hpp"

#include <fmt/format.h>

#include "version.hpp"

namespace kernelgen::tool {

namespace {

Json field(std::string name, std::string type, std::uint32_t offset) {
  return {{"name", std::move(name)}, {"type", std::move(type)}, {"offset", offset}};
}

/// The structs of kernels/abi.hpp, so that a reader can fill an argument block without a C++ compiler.
Json structs() {
  Json rows = Json::array();
  rows.push_back(
      {{"name", "Divisor"},
       {"size", 12},
       {"align", 4},
       {"fields", {field("extent", "u32", 0), field("magic", "u32", 4), field("shift", "u32", 8)}}});
  for (unsigned inputs = 1; inputs <= max_inputs; ++inputs) {
    const std::string name = fmt::format("Strided<{}>", inputs);
    const TypeLayout layout = base_type_layout(name).value();
    rows.push_back({{"name", name},
                    {"size", layout.size},
                    {"align", layout.align},
                    {"fields",
                     {field("rank", "u32", 0), field("elements", "u32", 4), field("dim", "Divisor[8]", 8),
                      field("stride", fmt::format("i64[{}][8]", inputs), 104)}}});
  }
  return rows;
}

Json operands(std::span<const Operand> list) {
  Json rows = Json::array();
  for (const Operand& operand : list) rows.push_back({{"name", operand.name}, {"type", operand.type}});
  return rows;
}

Json operation_row(const KernelSet& set, const Operation& operation) {
  Json row = {{"name", operation.name}, {"module", set.modules[operation.module].name}};
  if (!operation.doc.empty()) row["doc"] = operation.doc;
  if (operation.is_map()) row["expr"] = operation.expr;
  row["variables"] = operation.variables;
  row["inputs"] = operands(operation.inputs());
  row["output"] = operation.output().type;
  row["scalars"] = operands(operation.scalars());
  row["forms"] = operation.forms;
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
  if (target.kind != TargetKind::hip) return row;
  row["features"] = target.features;
  row["generic"] = target.generic ? Json(*target.generic) : Json(nullptr);
  row["code_object_version"] = target.code_object_version;
  row["twins"] = target.twins;
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
  json["structs"] = structs();
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
