#include "commands/verify.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "build/package_check.hpp"
#include "build/provenance.hpp"
#include "code_object/check.hpp"
#include "code_object/resources.hpp"
#include "commands/binary_file.hpp"
#include "commands/inspection.hpp"
#include "commands/package_file.hpp"
#include "kernelgen/error.hpp"
#include "manifest/filter.hpp"
#include "manifest/node.hpp"
#include "manifest/part.hpp"

namespace kernelgen::tool {
namespace {

/// Of problems that are printed one by one.
constexpr std::size_t most_lines = 20;

/// What a package has of an operation. Kernels of no operation are one row, by that name.
struct Row {
  std::size_t index = 0;  ///< of the operation; their number for kernels of none
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
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].index = i;
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

/// What a package was built from, as it records it or as the user names it.
struct Expected {
  KernelSet set;
  std::vector<Target> targets;
  std::vector<std::string>
      recorded_only;  ///< what of its manifests the package was built with, where others are named
};

/// What is wrong with a record, as findings of the package.
std::vector<std::string> findings_of(std::span<const Fault> faults) {
  std::vector<std::string> findings;
  for (const Fault& fault : faults)
    findings.push_back(fmt::format("{}: {}{}{}", fault.file.empty() ? "provenance" : fault.file,
                                   fault.pointer, fault.pointer.empty() ? "" : ": ", fault.what));
  return findings;
}

/// Throws BadInput for what the user named; for what the package records, adds problems and gives nothing.
std::optional<Expected> expected_of(const Package& package, const VerifyOptions& options, const Disk& disk,
                                    std::vector<std::string>& problems) {
  Faults faults;
  RecordedInputs inputs = read_inputs(package.provenance(), "provenance", faults);
  if (!options.manifests.empty())
    // The checks report what its record lacks, its targets for example.
    return Expected{
        in_parts(apply(Filter::parse(options.only), expand(read_manifests(disk, options.manifests, {})))),
        std::move(inputs.targets), std::move(inputs.only)};
  try {
    faults.throw_if_any();
    return Expected{
        in_parts(apply(Filter::parse(inputs.only), expand(inputs.manifests))), std::move(inputs.targets), {}};
  } catch (const BadInput& error) {
    problems = findings_of(error.faults());
    return std::nullopt;
  }
}

class Verifier {
 public:
  Verifier(const Package& package, const Expected& expected) : package_(package), expected_(expected) {}

  void run() {
    try {
      package_.check_blobs();
    } catch (const Error& error) {
      if (error.code() != Code::bad_package) throw;
      problems_.push_back(error.what());
    }
    for (Finding& finding : check_tables(package_, expected_.set)) {
      problems_.push_back(std::move(finding.text));
      wrong_operations_.insert(finding.operation);
    }
    check_targets();
    for (std::uint32_t t = 0; t < package_.targets().size(); ++t) {
      const Target* target = find_target(package_.text(package_.targets()[t].name));
      for (std::uint32_t m = 0; target && m < set().modules.size(); ++m) {
        const std::size_t before = problems_.size();
        check_code(t, *target, set().modules[m]);
        if (problems_.size() != before) failed_.emplace(t, m);
      }
    }
  }

  const std::vector<std::string>& problems() const { return problems_; }
  /// Whether all that an operation needs is as it should be on a target.
  bool serves(std::uint32_t target, const Row& row) const {
    return !wrong_operations_.contains(row.index) && !wrong_targets_.contains(target) &&
           std::ranges::none_of(row.modules,
                                [&](std::uint32_t module) { return failed_.contains({target, module}); });
  }

 private:
  const KernelSet& set() const { return expected_.set; }

  const Target* find_target(std::string_view name) const {
    const auto it = std::ranges::find(expected_.targets, name, &Target::name);
    return it == expected_.targets.end() ? nullptr : &*it;
  }

  void check_targets() {
    for (std::uint32_t t = 0; t < package_.targets().size(); ++t) {
      const std::string_view name = package_.text(package_.targets()[t].name);
      const Target* target = find_target(name);
      const std::string objection = target ? target_objection(package_.targets()[t], *target)
                                           : "the package does not record the row it was built from";
      if (objection.empty()) continue;
      problems_.push_back(fmt::format("target {}: {}", name, objection));
      wrong_targets_.insert(t);
    }
    for (const Target& target : expected_.targets)
      if (!package_.find_target(target.name))
        problems_.push_back(fmt::format("target {}: it was built for, but is missing", target.name));
  }

  void check_code(std::uint32_t target_id, const Target& target, const Module& module) {
    for (std::uint32_t m = 0; m < package_.modules().size(); ++m) {
      if (package_.text(package_.modules()[m].name) != module.name) continue;
      if (package_.code_size(target_id, m) == 0) break;
      try {
        const PackageCode code = package_.code(target_id, m);
        const CodeObject object = read_code_object({reinterpret_cast<const char*>(code.data()), code.size()});
        for (std::string& problem : check_code_object(object, target, set(), module))
          problems_.push_back(std::move(problem));
        check_resources(target_id, target, object);
      } catch (const BadCodeObject& error) {
        problems_.push_back(
            fmt::format("{} {}: code object cannot be read: {}", target.name, module.name, error.what()));
      } catch (const Error& error) {
        if (error.code() != Code::bad_package) throw;
        problems_.push_back(fmt::format("{} {}: {}", target.name, module.name, error.what()));
      }
      return;
    }
    problems_.push_back(fmt::format("{}: no code of module {}", target.name, module.name));
  }

  void check_resources(std::uint32_t target_id, const Target& target, const CodeObject& object) {
    for (const CodeKernel& kernel : object.kernels) {
      const std::optional<std::uint32_t> id = package_.find_kernel(kernel.name);
      if (!id) continue;
      const kernelgen_resource_record& found = package_.resources(target_id, *id);
      const kernelgen_resource_record wanted =
          target.kind == TargetKind::cpu ? kernelgen_resource_record{} : resource_record(kernel);
      for_each_resource([&](const char* name, auto, auto field) {
        if (wanted.*field != found.*field)
          problems_.push_back(fmt::format("{}: kernel {}: {}: the code object has {}, the package {}",
                                          target.name, kernel.name, name, wanted.*field, found.*field));
      });
    }
  }

  const Package& package_;
  const Expected& expected_;
  std::vector<std::string> problems_;
  std::set<std::size_t> wrong_operations_;
  std::set<std::uint32_t> wrong_targets_;
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

void print_problems(const std::string& package, const std::vector<std::string>& problems,
                    const std::vector<std::string>& hints, std::FILE* out) {
  for (std::size_t i = 0; i < std::min(problems.size(), most_lines); ++i)
    fmt::print(out, "{}: {}\n", package, printable(problems[i]));
  if (problems.size() > most_lines)
    fmt::print(out, "{}: {} more; --json lists all\n", package,
               spell_count(problems.size() - most_lines, "problem"));
  for (const std::string& hint : hints) fmt::print(out, "{}: {}\n", package, printable(hint));
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

/// Reads every code object of a file of others whole.
int verify_binary(const VerifyOptions& options, const Disk& disk, std::FILE* out) {
  InspectOptions inspect;
  inspect.file = options.package;
  const Inspection inspection = read_inspection(inspect, disk);
  std::vector<std::string> problems;
  for (const Fault& fault : inspection.unreadable)
    problems.push_back(fmt::format("{}: {}", fault.pointer, fault.what));
  std::size_t kernels = 0;
  for (const Inspected& object : inspection.objects) {
    const Binary::Code& code = inspection.binary->codes()[object.index];
    kernels += object.code.kernels.size();
    if (code.target.substr(0, code.target.find(':')) != object.target)
      problems.push_back(fmt::format("offset {:#x}: {} is called code for {} and is for {}", code.offset,
                                     code.module, code.target, object.target));
  }
  if (options.json)
    fmt::print(out, "{}", json_text(Json{{"ok", problems.empty()}, {"problems", problems}}));
  else if (problems.empty())
    fmt::print(out, "{}: {} with {} for {}, all can be read\n", printable(inspection.file),
               spell_count(inspection.objects.size(), "code object"), spell_count(kernels, "kernel"),
               spell_count(inspection.target_count(), "target"));
  else
    print_problems(printable(inspection.file), problems, {}, out);
  return problems.empty() ? exit_ok : exit_failure;
}

}  // namespace

int run_verify(const VerifyOptions& options, const Disk& disk, std::FILE* out) {
  if (is_binary(disk, options.package)) {
    if (!options.manifests.empty())
      throw BadInput(Fault{options.package.string(), "", "--manifests: is not a package of kernel-gen", {}});
    return verify_binary(options, disk, out);
  }
  std::vector<std::string> problems, hints;
  std::size_t kernel_count = 0, target_count = 0;
  Json operations = Json::array();
  try {
    const Package package = open_package(disk, options.package);
    target_count = package.targets().size();
    if (const auto expected = expected_of(package, options, disk, problems)) {
      kernel_count = expected->set.kernels.size();
      if (options.only.empty() && !expected->recorded_only.empty())
        hints.push_back(fmt::format("it was built with --only {}; compare with the same",
                                    fmt::join(expected->recorded_only, " --only ")));
      Verifier verifier(package, *expected);
      verifier.run();
      problems = verifier.problems();
      const std::vector<Row> rows = rows_of(expected->set);
      if (options.json)
        operations = to_json(rows, package, verifier);
      else
        print_rows(rows, package, verifier, out);
    }
  } catch (const Error& error) {
    problems.push_back(error.what());
  }
  if (options.json) {
    const Json json = {{"ok", problems.empty()}, {"problems", problems}, {"operations", operations}};
    fmt::print(out, "{}", json_text(json));
  } else if (problems.empty()) {
    fmt::print(out, "{}: {} for {}, all as the manifests say\n", printable(options.package.string()),
               spell_count(kernel_count, "kernel"), spell_count(target_count, "target"));
  } else {
    print_problems(printable(options.package.string()), problems, hints, out);
  }
  return problems.empty() ? exit_ok : exit_failure;
}

}  // namespace kernelgen::tool
