#include "commands/prune.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "base/fault.hpp"
#include "build/package_parts.hpp"
#include "commands/package_file.hpp"

namespace kernelgen::tool {

namespace {

/// What of `names` the words mean. Throws BadInput for a word that means none.
std::vector<std::string> chosen(const std::vector<std::string>& words, const std::vector<std::string>& names,
                                const TargetTable& table, const std::string& package) {
  Faults faults;
  std::vector<std::string> kept;
  for (const std::string& word : words) {
    const auto group = std::ranges::find(table.groups, word, &TargetGroup::name);
    const std::size_t before = kept.size();
    std::ranges::copy_if(names, std::back_inserter(kept), [&](const std::string& name) {
      return fnmatch(word.c_str(), name.c_str(), 0) == 0 ||
             (group != table.groups.end() && std::ranges::find(group->members, name) != group->members.end());
    });
    if (kept.size() == before)
      faults.add_unknown(package, "", fmt::format("--keep {}: holds no such target", word), word, names);
  }
  faults.throw_if_any();
  return kept;
}

}  // namespace

int run_prune(const PruneOptions& options, Disk& disk, std::FILE* out) {
  const TargetTable table = read_targets(disk, options.places.targets);
  const Package package = open_package(disk, options.package);
  PackageParts parts(package);
  std::vector<std::string> names;
  for (const Target& target : parts.targets()) names.push_back(target.name);
  parts.keep_targets(chosen(options.keep, names, table, package.name()));
  fmt::print(out, "{}\n", parts.write(options.out, table, disk));
  return exit_ok;
}

}  // namespace kernelgen::tool
