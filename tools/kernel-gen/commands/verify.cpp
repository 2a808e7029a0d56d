#include "commands/verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/fault.hpp"
#include "base/table.hpp"
#include "code_object/check.hpp"
#include "commands/package_file.hpp"
#include "kernelgen/error.hpp"
#include "manifest/filter.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {
namespace {

/// What a package has of an operation. Kernels of no operation are one row, by that name.
struct Row {
  std::string operation;
  std::size_t kernels = 0;
  std::map<std::string, std::set<std::string>> types;  ///< of each type variable
  std::set<std::uint32_t> modules;

  std::string spell_types() const {
    std::string text;
    for (const auto& [variable, values] : types)
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", variable, fmt::join(values, " "));
    return text;
  }
};

std::vector<Row> rows_of(const KernelSet& set) {
  std::vector<Row> rows(set.operations.size() + 1);
  for (std::size_t i = 0; i < set.operations.size(); ++i) rows[i].operation = set.operations[i].name;
  rows.back().operation = "(by name)";
  for (const Kernel& kernel : set.kernels) {
    Row& row = rows[kernel.operation.value_or(set.operations.size())];
    ++row.kernels;
    row.modules.insert(kernel.module);
    if (!kernel.operation) continue;
    const auto& variables = set.operations[*kernel.operation].variables;
    for (std::size_t v = 0; v < variables.size(); ++v) row.types[variables[v].name].insert(kernel.types[v]);
  }
  if (rows.back().kernels == 0) rows.pop_back();
  return rows;
}

class Verifier {
 public:
  Verifier(const Package& package, const KernelSet& set, const TargetTable& targets)
      : package_(package), set_(set), targets_(targets) {}

  void run() {
    if (!package_.blobs_intact()) problems_.push_back("a blob does not hash to its recorded name");
    for (const Kernel& kernel : set_.kernels) check_record(kernel);
    for (std::uint32_t t = 0; t < package_.targets().size(); ++t) {
      const std::string name(package_.text(package_.targets()[t].name));
      const Target* target = targets_.find(name);
      if (!target) {
        problems_.push_back(fmt::format("target {} is not in targets.json", name));
        continue;
      }
      for (std::uint32_t m = 0; m < set_.modules.size(); ++m) {
        const std::size_t before = problems_.size();
        check_code(t, *target, set_.modules[m]);
        if (problems_.size() != before) failed_.emplace(t, m);
      }
    }
  }

  const std::vector<std::string>& problems() const { return problems_; }
  /// Whether all that an operation needs is as it should be on a target.
  bool serves(std::uint32_t target, const Row& row) const {
    return std::ranges::none_of(row.modules, [&](std::uint32_t module) {
      return failed_.contains({target, module});
    });
  }

 private:
  void check_record(const Kernel& kernel) {
    const std::optional<std::uint32_t> id = package_.find_kernel(kernel.name);
    if (!id) {
      problems_.push_back(fmt::format("kernel {} of the manifests is missing", kernel.name));
      return;
    }
    const auto arguments = package_.arguments(*id);
    if (arguments.size() != kernel.arguments.size()) {
      problems_.push_back(fmt::format("kernel {}: arguments: wanted {}, found {}", kernel.name,
                                      kernel.arguments.size(), arguments.size()));
      return;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Argument found = {std::string(package_.text(arguments[i].name)),
                              std::string(package_.text(arguments[i].type)),
                              arguments[i].offset,
                              arguments[i].size,
                              arguments[i].is_pointer != 0,
                              arguments[i].is_written != 0};
      if (!(found == kernel.arguments[i]))
        problems_.push_back(
            fmt::format("kernel {}: argument {} is recorded as '{} {}' at {}, the manifest has "
                        "'{} {}' at {}",
                        kernel.name, i, found.type, found.name, found.offset, kernel.arguments[i].type,
                        kernel.arguments[i].name, kernel.arguments[i].offset));
    }
  }

  void check_code(std::uint32_t target_id, const Target& target, const Module& module) {
    for (std::uint32_t m = 0; m < package_.modules().size(); ++m) {
      if (package_.text(package_.modules()[m].name) != module.name) continue;
      const std::span<const std::byte> code = package_.code(target_id, m);
      if (code.empty()) break;
      try {
        const CodeObject object = read_code_object({reinterpret_cast<const char*>(code.data()), code.size()});
        for (std::string& problem : check_code_object(object, target, set_, module))
          problems_.push_back(std::move(problem));
      } catch (const BadCodeObject& error) {
        problems_.push_back(
            fmt::format("{} {}: code object cannot be read: {}", target.name, module.name, error.what()));
      }
      return;
    }
    problems_.push_back(fmt::format("{}: no code of module {}", target.name, module.name));
  }

  const Package& package_;
  const KernelSet& set_;
  const TargetTable& targets_;
  std::vector<std::string> problems_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> failed_;  ///< target and module
};

void print_rows(const std::vector<Row>& rows, const Package& package, const Verifier& verifier,
                std::FILE* out) {
  std::vector<std::string> head = {"operation", "kernels", "types"};
  for (const auto& target : package.targets()) head.emplace_back(package.text(target.name));
  Table table(std::move(head));
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.operation, std::to_string(row.kernels), row.spell_types()};
    for (std::uint32_t t = 0; t < package.targets().size(); ++t)
      cells.emplace_back(verifier.serves(t, row) ? "ok" : "WRONG");
    table.add(std::move(cells));
  }
  table.print(out);
  fmt::print(out, "\n");
}

Json to_json(const std::vector<Row>& rows, const Package& package, const Verifier& verifier) {
  Json operations = Json::array();
  for (const Row& row : rows) {
    Json targets = Json::object();
    for (std::uint32_t t = 0; t < package.targets().size(); ++t)
      targets[std::string(package.text(package.targets()[t].name))] = verifier.serves(t, row);
    operations.push_back({{"operation", row.operation},
                          {"kernels", row.kernels},
                          {"types", row.types},
                          {"targets", std::move(targets)}});
  }
  return operations;
}

}  // namespace

int run_verify(const VerifyOptions& options, const Disk& disk, std::FILE* out) {
  const TargetTable targets = read_targets(disk, options.places.targets);
  const KernelSet set = apply(Filter::parse(options.only),
                              expand(read_manifests(disk, options.places.manifests, options.places.kernels)));
  std::vector<std::string> problems;
  std::size_t target_count = 0;
  Json operations = Json::array();
  try {
    const Package package = open_package(disk, options.package);
    target_count = package.targets().size();
    Verifier verifier(package, set, targets);
    verifier.run();
    problems = verifier.problems();
    const std::vector<Row> rows = rows_of(set);
    if (options.json)
      operations = to_json(rows, package, verifier);
    else
      print_rows(rows, package, verifier, out);
  } catch (const Error& error) {
    problems.push_back(error.what());
  }
  if (options.json) {
    const Json json = {{"ok", problems.empty()}, {"problems", problems}, {"operations", operations}};
    fmt::print(out, "{}\n", json.dump(2));
  } else if (problems.empty()) {
    fmt::print(out, "{}: {} for {}, all as the manifests say\n", options.package.string(),
               spell_count(set.kernels.size(), "kernel"), spell_count(target_count, "target"));
  } else {
    for (const std::string& problem : problems)
      fmt::print(out, "{}: {}\n", options.package.string(), problem);
  }
  return problems.empty() ? exit_ok : exit_failure;
}

}  // namespace kernelgen::tool
