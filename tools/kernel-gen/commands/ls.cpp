#include "commands/ls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <map>
#include <set>
#include <vector>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/table.hpp"
#include "build/package_types.hpp"
#include "commands/binary_file.hpp"
#include "commands/ls_binary.hpp"
#include "commands/ls_gguf.hpp"
#include "commands/package_file.hpp"
#include "kernelgen/dtype.hpp"
#include "manifest/kernel.hpp"
#include "manifest/node.hpp"
#include "manifest/types.hpp"

namespace kernelgen::tool {
namespace {

struct KernelRow {
  std::string name;
  std::string module;
  std::vector<std::string> arguments;
};

/// A type variable of an operation with the element types that it has kernels for, in code order.
struct Types {
  std::string variable;
  std::set<ElementCode> elements;
};

struct OperationRow {
  std::string name;
  std::string signature;  ///< "(x: T, mul: T) -> T"
  std::vector<Types> types;
  std::vector<std::string> forms;
  std::vector<KernelRow> kernels;
};

std::vector<std::string> names_of(const std::set<ElementCode>& elements) {
  std::vector<std::string> names;
  for (const ElementCode code : elements) names.emplace_back(element_name(code));
  return names;
}

/// The element types as a few words; kernels keyed by width serve every dtype.
std::string spell_elements(const std::set<ElementCode>& elements) {
  constexpr std::pair<const char*, const char*> sets[] = {
      {"all", "all"}, {"width", "all"}, {"F", "floats"}, {"I", "integers"}};
  for (const auto& [set, word] : sets) {
    const std::vector<ElementCode> codes = find_type_set(set).value();
    if (elements == std::set<ElementCode>(codes.begin(), codes.end())) return word;
  }
  return fmt::format("{}", fmt::join(names_of(elements), " "));
}

/// "floats", or with several variables "S: all, D: f16 f32".
std::string spell_types(const std::vector<Types>& types) {
  if (types.size() == 1) return spell_elements(types[0].elements);
  std::string text;
  for (const Types& one : types)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", one.variable, spell_elements(one.elements));
  return text;
}

constexpr const char* no_operation = "(by name)";

std::vector<OperationRow> rows_of(const KernelSet& set) {
  std::vector<OperationRow> rows;
  for (const Operation& operation : set.operations)
    rows.push_back({operation.name,
                    signature_of(operation.operands, operation.input_count,
                                 [](const Operand& operand) { return operand.name + ": " + operand.type; }),
                    {},
                    operation.forms,
                    {}});
  OperationRow named = {no_operation, "", {}, {}, {}};
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& variable : set.operations[i].variables)
      rows[i].types.push_back({variable.name, {variable.values.begin(), variable.values.end()}});
  for (const Kernel& kernel : set.kernels) {
    KernelRow row = {kernel.name, set.modules[kernel.module].name, {}};
    for (const Argument& argument : kernel.arguments)
      row.arguments.push_back(argument.type + " " + argument.name);
    (kernel.operation ? rows[*kernel.operation] : named).kernels.push_back(std::move(row));
  }
  if (!named.kernels.empty()) rows.push_back(std::move(named));
  return rows;
}

KernelRow kernel_row(const Package& package, std::uint32_t id) {
  const kernelgen_kernel_record& kernel = package.kernels()[id];
  KernelRow row = {std::string(package.text(kernel.name)),
                   std::string(package.text(package.modules()[kernel.module].name)),
                   {}};
  for (const auto& argument : package.arguments(id))
    row.arguments.push_back(fmt::format("{} {}", package.text(argument.type), package.text(argument.name)));
  return row;
}

std::vector<OperationRow> rows_of(const Package& package) {
  std::vector<OperationRow> rows;
  std::set<std::uint32_t> taken;
  // A kernel that several operations launch is of the one that it is named after.
  std::map<std::uint32_t, const kernelgen_operation_record*> owners;
  for (const auto& operation : package.operations())
    for (const std::uint32_t id : package.variants(operation))
      if (id != KERNELGEN_NO_KERNEL && package.text(package.kernels()[id].name)
                                           .starts_with(fmt::format("kg_{}_", package.text(operation.name))))
        owners[id] = &operation;
  for (const auto& operation : package.operations()) {
    OperationRow& row = rows.emplace_back();
    row.name = package.text(operation.name);
    row.signature = signature_of(package, operation);
    for (const auto& variable : package.variables(operation)) {
      const std::vector<ElementCode> codes = accepted_types(package, variable);
      row.types.push_back(
          {std::string(package.text(variable.name)), std::set<ElementCode>(codes.begin(), codes.end())});
    }
    for (const std::uint32_t form : package.forms(operation)) row.forms.emplace_back(package.text(form));
    for (const std::uint32_t id : package.variants(operation))
      if (const auto owner = owners.find(id); id != KERNELGEN_NO_KERNEL &&
                                              (owner == owners.end() || owner->second == &operation) &&
                                              taken.insert(id).second)
        row.kernels.push_back(kernel_row(package, id));
  }
  OperationRow named = {no_operation, "", {}, {}, {}};
  for (std::uint32_t id = 0; id < package.kernels().size(); ++id)
    if (!taken.contains(id)) named.kernels.push_back(kernel_row(package, id));
  if (!named.kernels.empty()) rows.push_back(std::move(named));
  return rows;
}

Json to_json(const std::vector<OperationRow>& rows) {
  Json json = Json::array();
  for (const OperationRow& row : rows) {
    Json kernels = Json::array();
    for (const KernelRow& kernel : row.kernels)
      kernels.push_back({{"name", kernel.name}, {"module", kernel.module}, {"arguments", kernel.arguments}});
    Json types = Json::object();
    for (const Types& one : row.types) types[one.variable] = names_of(one.elements);
    json.push_back({{"operation", row.name},
                    {"signature", row.signature},
                    {"types", std::move(types)},
                    {"forms", row.forms},
                    {"kernels", std::move(kernels)}});
  }
  return json;
}

void print_operations(const std::vector<OperationRow>& rows, std::FILE* out) {
  Table table({"operation", "kernels", "dtypes", "forms", "signature"});
  for (const OperationRow& row : rows)
    table.add({row.name, std::to_string(row.kernels.size()), spell_types(row.types),
               fmt::format("{}", fmt::join(row.forms, ", ")), row.signature});
  table.print(out);
}

void print_kernels(const std::vector<OperationRow>& rows, std::FILE* out) {
  Table table({"kernel", "module", "arguments"});
  for (const OperationRow& row : rows)
    for (const KernelRow& kernel : row.kernels)
      table.add({kernel.name, kernel.module, fmt::format("{}", fmt::join(kernel.arguments, ", "))});
  table.print(out);
}

void keep_matching(std::vector<OperationRow>& rows, const std::string& glob) {
  std::vector<std::string> names;
  for (const OperationRow& row : rows) names.push_back(row.name);
  std::erase_if(rows,
                [&](const OperationRow& row) { return fnmatch(glob.c_str(), row.name.c_str(), 0) != 0; });
  if (!rows.empty()) return;
  Faults faults;
  faults.add_unknown("", "", fmt::format("--kernels-of {}: there is no such operation", glob), glob, names);
  faults.throw_if_any();
}

}  // namespace

int run_ls(const ListOptions& options, const Disk& disk, std::FILE* out) {
  if (options.package.extension() == ".gguf" && !disk.is_directory(options.package)) {
    if (!disk.exists(options.package))
      throw BadInput(Fault{options.package.string(), "", "there is no such file", {}});
    if (!options.kernels_of.empty())
      throw BadInput(
          Fault{options.package.string(), "", "--kernels-of: a model's file holds no kernels", {}});
    list_gguf(options.package, options.json, out);
    return exit_ok;
  }
  if (!options.package.empty() && is_binary(disk, options.package)) {
    if (!options.kernels_of.empty())
      throw BadInput(Fault{
          options.package.string(), "", "--kernels-of: the file holds code objects, not operations", {}});
    return list_binary(options.package, options.json, out);
  }
  std::vector<OperationRow> rows =
      options.package.empty()
          ? rows_of(expand(read_manifests(disk, options.paths.manifests, options.paths.kernels)))
          : rows_of(open_package(disk, options.package));
  if (!options.kernels_of.empty()) keep_matching(rows, options.kernels_of);
  if (options.json)
    fmt::print(out, "{}", json_text(to_json(rows)));
  else if (options.kernels_of.empty())
    print_operations(rows, out);
  else
    print_kernels(rows, out);
  return exit_ok;
}

}  // namespace kernelgen::tool
