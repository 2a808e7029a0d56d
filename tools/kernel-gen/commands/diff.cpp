#include "commands/diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "code_object/loop_cost.hpp"
#include "commands/binary_file.hpp"
#include "commands/growth.hpp"
#include "commands/inspection.hpp"
#include "commands/package_file.hpp"
#include "manifest/machine.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Names that one package has and the other has not, each list in its package's order.
struct Names {
  std::vector<std::string> added, removed;
};

struct Change {
  std::string target, kernel;
  std::string_view figure;
  std::uint64_t before, after;

  std::string spell_growth() const {
    const double growth = static_cast<double>(after) - static_cast<double>(before);
    return before == 0 ? fmt::format("{:+}", growth)
                       : fmt::format("{:+.1f} %", 100 * growth / static_cast<double>(before));
  }
};

struct Difference {
  Names targets, kernels;
  std::vector<Change> changes;
  Change bytes;                     ///< of the package
  std::vector<std::string> failed;  ///< what may not have happened
};

constexpr const char* package_bytes = "package";

template <class Records>
std::vector<std::string> names_of(const Package& package, const Records& records) {
  std::vector<std::string> names;
  for (const auto& record : records) names.emplace_back(package.text(record.name));
  return names;
}

Names compare_names(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  const auto missing = [](const std::vector<std::string>& from, const std::vector<std::string>& in) {
    const std::set<std::string> there(in.begin(), in.end());
    std::vector<std::string> names;
    std::ranges::copy_if(from, std::back_inserter(names),
                         [&](const auto& name) { return !there.contains(name); });
    return names;
  };
  return {missing(after, before), missing(before, after)};
}

/// The kernels of a target by name, but for those of modules whose code is the same in `other`.
std::map<std::string, CodeKernel> changed_kernels(const Package& package, const Package& other,
                                                  const std::string& target) {
  const std::uint32_t here = *package.find_target(target), there = *other.find_target(target);
  std::map<std::string_view, std::uint32_t> modules;
  for (std::uint32_t m = 0; m < other.modules().size(); ++m)
    modules.emplace(other.text(other.modules()[m].name), m);
  std::map<std::string, CodeKernel> kernels;
  for (std::uint32_t m = 0; m < package.modules().size(); ++m) {
    const auto same = modules.find(package.text(package.modules()[m].name));
    const auto code = package.code(here, m);
    if (same != modules.end()) {
      const auto other_code = other.code(there, same->second);
      if (std::ranges::equal(code, other_code)) continue;
    }
    if (!code.empty())
      for (CodeKernel& kernel : read_code(package, here, m).kernels)
        kernels.insert_or_assign(kernel.name, std::move(kernel));
  }
  return kernels;
}

/// One of what is compared.
struct Side {
  std::vector<std::string> targets, kernels;
  std::uint64_t bytes = 0;
  /// The kernels of a target, without those whose code is known to be the other side's.
  std::function<std::map<std::string, CodeKernel>(const std::string& target)> code;
};

Side side_of(const Package& package, const Package& other) {
  return {names_of(package, package.targets()), names_of(package, package.kernels()), package.bytes().size(),
          [package, other](const std::string& target) { return changed_kernels(package, other, target); }};
}

/// A file of others, or a package beside one: all its kernels are read.
Side side_of(const fs::path& file, const std::string& target, const Disk& disk) {
  InspectOptions options;
  options.file = file;
  options.target = target;
  const Inspection inspection = read_inspection(options, disk);
  if (!inspection.unreadable.empty()) throw BadInput(inspection.unreadable);
  std::map<std::string, std::map<std::string, CodeKernel>> code;
  std::set<std::string> names;
  Side side;
  for (const Inspected& object : inspection.objects)
    for (const CodeKernel& kernel : object.code.kernels) {
      names.insert(kernel.name);
      code[object.target].insert_or_assign(kernel.name, kernel);
    }
  for (const auto& [name, kernels] : code) side.targets.push_back(name);
  side.kernels.assign(names.begin(), names.end());
  side.bytes = inspection.bytes();
  side.code = [code](const std::string& name) { return code.at(name); };
  return side;
}

std::pair<Side, Side> sides_of(const Package& before, const Package& after, const std::string& target) {
  if (!target.empty())
    for (const Package& package : {before, after}) need_target(package, target);
  return {side_of(before, after), side_of(after, before)};
}

std::pair<Side, Side> sides_of(const DiffOptions& options, const Disk& disk) {
  if (is_binary(disk, options.before) || is_binary(disk, options.after))
    return {side_of(options.before, options.target, disk), side_of(options.after, options.target, disk)};
  return sides_of(open_package(disk, options.before), open_package(disk, options.after), options.target);
}

std::vector<Change> compare_code(const Side& before, const Side& after, const std::string& target,
                                 const Machine* machine) {
  const std::map<std::string, CodeKernel> old = before.code(target), now = after.code(target);
  std::vector<Change> changes;
  for (const auto& [name, kernel] : old) {
    const auto same = now.find(name);
    if (same == now.end()) continue;
    for (const Figure& figure : figures())
      if (figure.of(kernel) != figure.of(same->second))
        changes.push_back({target, name, figure.name, figure.of(kernel), figure.of(same->second)});
    if (machine == nullptr) continue;
    const std::uint32_t waves_before = occupancy_of(*machine, kernel).waves,
                        waves_after = occupancy_of(*machine, same->second).waves;
    if (waves_before != waves_after)
      changes.push_back({target, name, occupancy_figure, waves_before, waves_after});
  }
  return changes;
}

std::vector<std::string> common_targets(const Side& before, const Side& after,
                                        const std::string& only_target) {
  std::vector<std::string> targets = before.targets;
  std::erase_if(targets, [&](const std::string& target) {
    return std::ranges::find(after.targets, target) == after.targets.end() ||
           !(only_target.empty() || only_target == target);
  });
  return targets;
}

Difference compare(const Side& before, const Side& after, const std::string& only_target,
                   const MachineTable& machines) {
  Difference difference;
  difference.targets = compare_names(before.targets, after.targets);
  difference.kernels = compare_names(before.kernels, after.kernels);
  difference.bytes = {"", "", package_bytes, before.bytes, after.bytes};
  for (const std::string& target : common_targets(before, after, only_target))
    std::ranges::move(compare_code(before, after, target, machines.find(target)),
                      std::back_inserter(difference.changes));
  return difference;
}

void judge(Difference& difference, const std::vector<Growth>& limits) {
  for (const Growth& limit : limits) {
    if (limit.figure == "added")
      for (const std::string& kernel : difference.kernels.added)
        difference.failed.push_back(fmt::format("kernel {} was added", kernel));
    if (limit.figure == "removed")
      for (const std::string& kernel : difference.kernels.removed)
        difference.failed.push_back(fmt::format("kernel {} was removed", kernel));
    if (limit.figure == package_bytes && !limit.allows(difference.bytes.before, difference.bytes.after))
      difference.failed.push_back(fmt::format("the package grew from {} to {} bytes, {}: more than {}",
                                              difference.bytes.before, difference.bytes.after,
                                              difference.bytes.spell_growth(), limit.text));
    for (const Change& change : difference.changes)
      if (change.figure == limit.figure && !limit.allows(change.before, change.after))
        difference.failed.push_back(fmt::format("{}: kernel {}: {} {} from {} to {}, {}: more than {}",
                                                change.target, change.kernel, change.figure,
                                                limit.is_fall ? "fell" : "grew", change.before, change.after,
                                                change.spell_growth(), limit.text));
  }
}

void print_names(const Names& names, const char* what, std::FILE* out) {
  for (const auto& [list, word] : {std::pair(&names.added, "added"), std::pair(&names.removed, "removed")})
    if (!list->empty())
      fmt::print(out, "{} {}: {}\n", spell_count(list->size(), what), word,
                 printable(fmt::format("{}", fmt::join(*list, ", "))));
}

void print(const Difference& difference, std::FILE* out) {
  print_names(difference.targets, "target", out);
  print_names(difference.kernels, "kernel", out);
  if (!difference.changes.empty()) {
    Table table({"target", "kernel", "figure", "before", "after", "change"});
    for (const Change& change : difference.changes)
      table.add({change.target, change.kernel, std::string(change.figure), std::to_string(change.before),
                 std::to_string(change.after), change.spell_growth()});
    table.print(out);
  }
  fmt::print(out, "package: {} before, {} after, {}\n", spell_bytes(difference.bytes.before),
             spell_bytes(difference.bytes.after), difference.bytes.spell_growth());
  for (const std::string& text : difference.failed) fmt::print(out, "failed: {}\n", printable(text));
}

Json to_json(const Difference& difference) {
  const auto names = [](const Names& list) { return Json{{"added", list.added}, {"removed", list.removed}}; };
  Json changes = Json::array();
  for (const Change& change : difference.changes)
    changes.push_back({{"target", change.target},
                       {"kernel", change.kernel},
                       {"figure", change.figure},
                       {"before", change.before},
                       {"after", change.after}});
  return {{"targets", names(difference.targets)},
          {"kernels", names(difference.kernels)},
          {"changes", std::move(changes)},
          {"bytes", {{"before", difference.bytes.before}, {"after", difference.bytes.after}}},
          {"failed", difference.failed}};
}

std::vector<Growth> limits_of(const DiffOptions& options) {
  std::vector<std::string> names;
  for (const Figure& figure : figures()) names.emplace_back(figure.name);
  names.insert(names.end(), {std::string(occupancy_figure), package_bytes, "added", "removed"});
  std::vector<Growth> limits;
  for (const std::string& text : options.fail_on) limits.push_back(parse_growth(text, names));
  return limits;
}

/// CI asks in vain where nothing is known.
void need_machine(const MachineTable& machines, const Side& before, const Side& after,
                  const DiffOptions& options) {
  for (const std::string& target : common_targets(before, after, options.target))
    if (machines.find(target) != nullptr) return;
  std::vector<std::string> known;
  for (const Machine& machine : machines.machines) known.push_back(machine.target);
  throw BadInput(
      Fault{"",
            "",
            fmt::format("--fail-on {}: the packages have no target in common that is in machines.json: {}",
                        occupancy_figure, fmt::join(known, ", ")),
            {}});
}

/// Prints what the sides have otherwise and gives the exit code.
int report(const std::pair<Side, Side>& sides, const std::vector<Growth>& limits, const DiffOptions& options,
           const Disk& disk, std::FILE* out) {
  const auto& [before, after] = sides;
  MachineTable machines;
  if (!options.machines.empty()) machines = read_machines(disk, options.machines);
  if (std::ranges::any_of(limits, &Growth::is_fall)) need_machine(machines, before, after, options);
  Difference difference = compare(before, after, options.target, machines);
  judge(difference, limits);
  if (options.json)
    fmt::print(out, "{}", json_text(to_json(difference)));
  else
    print(difference, out);
  return difference.failed.empty() ? exit_ok : exit_failure;
}

}  // namespace

int run_diff(const DiffOptions& options, const Disk& disk, std::FILE* out) {
  const std::vector<Growth> limits = limits_of(options);
  return report(sides_of(options, disk), limits, options, disk, out);
}

int run_diff(const Package& before, const Package& after, const DiffOptions& options, const Disk& disk,
             std::FILE* out) {
  return report(sides_of(before, after, options.target), limits_of(options), options, disk, out);
}

}  // namespace kernelgen::tool
