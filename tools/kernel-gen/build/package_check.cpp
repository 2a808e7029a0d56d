#include "build/package_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "build/package_types.hpp"
#include "kernelgen/dtype.hpp"

namespace kernelgen::tool {

namespace {

/// An operation's properties in words, so that any two can be compared and shown.
using Properties = std::vector<std::pair<std::string_view, std::string>>;

struct Words {
  std::string kind;
  std::vector<std::string> operands;  ///< "x: T"
  std::size_t input_count;
  std::vector<std::string> variables;  ///< "T: f16 f32"
  std::vector<std::string> forms;

  Properties properties() const {
    const std::span<const std::string> all = operands;
    return {{"kind", kind},
            {"inputs", fmt::format("{}", fmt::join(all.first(input_count), ", "))},
            {"output", all[input_count]},
            {"scalars", fmt::format("{}", fmt::join(all.subspan(input_count + 1), ", "))},
            {"type variables", fmt::format("{}", fmt::join(variables, ", "))},
            {"forms", fmt::format("{}", fmt::join(forms, ", "))}};
  }
};

std::string spell_variable(std::string_view name, const std::vector<ElementCode>& codes) {
  std::string text = fmt::format("{}:", name);
  for (const ElementCode code : codes) text.append(" ").append(element_name(code));
  return text;
}

std::string spell_kind(std::uint32_t kind, std::uint32_t state, std::string_view rule) {
  if (kind == KERNELGEN_OPERATION_BODY) return fmt::format("body, {}", rule);
  if (kind == KERNELGEN_OPERATION_REDUCE)
    return fmt::format("reduce, with partial results of kind {}{}", state & ~KERNELGEN_STATE_COUNTS_ONE,
                       state & KERNELGEN_STATE_COUNTS_ONE ? ", whose kernels take a count of 1" : "");
  if (kind == KERNELGEN_OPERATION_MATMUL) return "matmul";
  if (kind == KERNELGEN_OPERATION_MAP) return state == 0 ? "map" : "map of swapped inputs";
  return kind == KERNELGEN_OPERATION_ROW ? "row" : "other";
}

Properties describe(const Operation& operation) {
  Words words = {
      spell_kind(operation.kind(), operation.state(), operation.rule ? operation.rule->text() : ""),
      {},
      operation.input_count,
      {},
      operation.forms};
  for (const Operand& operand : operation.operands)
    words.operands.push_back(fmt::format("{}: {}", operand.name, operand.type));
  for (const TypeVariable& variable : operation.variables)
    words.variables.push_back(spell_variable(variable.name, variable.values));
  return words.properties();
}

Properties describe(const Package& package, const kernelgen_operation_record& operation) {
  Words words = {spell_kind(operation.kind, operation.state, package.text(operation.rule)),
                 {},
                 operation.input_count,
                 {},
                 {}};
  for (const auto& variable : package.variables(operation))
    words.variables.push_back(spell_variable(package.text(variable.name), accepted_types(package, variable)));
  for (const auto& operand : package.operands(operation))
    words.operands.push_back(
        fmt::format("{}: {}", package.text(operand.name), type_name(package, operation, operand)));
  for (const std::uint32_t form : package.forms(operation)) words.forms.emplace_back(package.text(form));
  return words.properties();
}

class TableCheck {
 public:
  TableCheck(const Package& package, const KernelSet& set) : package_(package), set_(set) {}

  std::vector<Finding> run() {
    check_modules();
    for (const Kernel& kernel : set_.kernels) check_kernel(kernel);
    for (std::size_t i = 0; i < set_.operations.size(); ++i) check_operation(i, set_.operations[i]);
    find_strangers();
    return std::move(findings_);
  }

 private:
  template <class... Args>
  void add(std::size_t operation, fmt::format_string<Args...> format, Args&&... args) {
    findings_.push_back({operation, fmt::format(format, std::forward<Args>(args)...)});
  }
  std::size_t no_operation() const { return set_.operations.size(); }

  void check_modules() {
    for (const Module& module : set_.modules)
      if (std::ranges::none_of(package_.modules(),
                               [&](const auto& record) { return package_.text(record.name) == module.name; }))
        add(no_operation(), "module {} of the manifests is missing", module.name);
  }

  void check_kernel(const Kernel& kernel) {
    const std::size_t operation = kernel.operation.value_or(static_cast<std::uint32_t>(no_operation()));
    const std::optional<std::uint32_t> id = package_.find_kernel(kernel.name);
    if (!id) return add(operation, "kernel {} of the manifests is missing", kernel.name);
    const kernelgen_kernel_record& record = package_.kernels()[*id];
    const std::string_view module = package_.text(package_.modules()[record.module].name);
    if (module != set_.modules[kernel.module].name)
      add(operation, "kernel {}: module: the manifests have {}, the package {}", kernel.name,
          set_.modules[kernel.module].name, module);
    if (record.block != kernel.block)
      add(operation, "kernel {}: largest block: the manifests have {}, the package {}", kernel.name,
          kernel.block, record.block);
    const auto arguments = package_.arguments(*id);
    if (arguments.size() != kernel.arguments.size())
      return add(operation, "kernel {}: arguments: the manifests have {}, the package {}", kernel.name,
                 kernel.arguments.size(), arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Argument found = {std::string(package_.text(arguments[i].name)),
                              std::string(package_.text(arguments[i].type)),
                              arguments[i].offset,
                              arguments[i].size,
                              arguments[i].is_pointer != 0,
                              arguments[i].is_written != 0};
      if (!(found == kernel.arguments[i]))
        add(operation, "kernel {}: argument {}: the manifests have '{}', the package '{}'", kernel.name, i,
            spell(kernel.arguments[i]), spell(found));
    }
  }

  static std::string spell(const Argument& argument) {
    return fmt::format("{} {} at {}, {} bytes{}", argument.type, argument.name, argument.offset,
                       argument.size, argument.is_written ? ", written" : "");
  }

  void check_operation(std::size_t index, const Operation& operation) {
    const auto* record = package_.find_operation(operation.name);
    if (!record) return add(index, "operation {} of the manifests is missing", operation.name);
    const Properties wanted = describe(operation), found = describe(package_, *record);
    bool same_table = true;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] == found[i]) continue;
      add(index, "operation {}: {}: the manifests have '{}', the package '{}'", operation.name,
          wanted[i].first, wanted[i].second, found[i].second);
      same_table = same_table && wanted[i].first != "type variables" && wanted[i].first != "forms";
    }
    if (same_table) check_variants(index, operation, *record);
  }

  void check_variants(std::size_t index, const Operation& operation,
                      const kernelgen_operation_record& record) {
    const auto rows = combinations(operation.variables);
    const auto variants = package_.variants(record);
    for (std::size_t v = 0; v < operation.variants.size(); ++v) {
      const std::uint32_t wanted_id = operation.variants[v], found_id = variants[v];
      const std::string_view wanted =
          wanted_id == KERNELGEN_NO_KERNEL ? "no kernel" : std::string_view(set_.kernels[wanted_id].name);
      const std::string_view found =
          found_id == KERNELGEN_NO_KERNEL ? "no kernel" : package_.text(package_.kernels()[found_id].name);
      if (wanted == found) continue;
      std::string types;
      for (const ElementCode code : rows[v / operation.forms.size()])
        types.append(element_name(code)).append(" ");
      add(index, "operation {}: variant {}{}: the manifests have {}, the package {}", operation.name, types,
          operation.forms[v % operation.forms.size()], wanted, found);
    }
  }

  /// What only the package has.
  void find_strangers() {
    std::set<std::string_view> kernels, operations, modules;
    for (const Kernel& kernel : set_.kernels) kernels.insert(kernel.name);
    for (const Operation& operation : set_.operations) operations.insert(operation.name);
    for (const Module& module : set_.modules) modules.insert(module.name);
    const auto find = [&](const auto& records, const std::set<std::string_view>& known, const char* what) {
      for (const auto& record : records)
        if (const std::string_view name = package_.text(record.name); !known.contains(name))
          add(no_operation(), "{} {} is in the package, but not in the manifests", what, name);
    };
    find(package_.modules(), modules, "module");
    find(package_.kernels(), kernels, "kernel");
    find(package_.operations(), operations, "operation");
  }

  const Package& package_;
  const KernelSet& set_;
  std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> check_tables(const Package& package, const KernelSet& set) {
  return TableCheck(package, set).run();
}

std::string target_objection(const kernelgen_target_record& record, const Target& target) {
  const auto differ = [](const char* what, auto wanted, auto found) {
    return fmt::format("{}: built for {}, the package says {}", what, wanted, found);
  };
  if (record.kind != static_cast<std::uint32_t>(target.kind))
    return differ("kind", static_cast<std::uint32_t>(target.kind), record.kind);
  if (record.wave_size != target.wave_sizes.front())
    return differ("wave size", target.wave_sizes.front(), record.wave_size);
  if (record.code_object_version != target.code_object_version)
    return differ("code object version", target.code_object_version, record.code_object_version);
  return {};
}

}  // namespace kernelgen::tool
