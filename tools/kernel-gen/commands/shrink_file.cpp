#include "commands/shrink_file.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>

#include "base/fault.hpp"
#include "binary/coverage.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

std::vector<std::string> kept_targets(const Binary& binary, const std::vector<std::string>& words,
                                      const TargetTable& table, Faults& faults, const std::string& file) {
  std::set<std::string> there, kept;
  for (const Binary::Code& code : binary.codes()) there.insert(code.target);
  for (const std::string& word : words) {
    const auto group = std::ranges::find(table.groups, word, &TargetGroup::name);
    std::set<std::string> meant, by_generic;
    for (const std::string& target : there) {
      const std::string processor(processor_of(target));
      const bool in_group =
          group != table.groups.end() && std::ranges::find(group->members, processor) != group->members.end();
      if (in_group || fnmatch(word.c_str(), target.c_str(), 0) == 0 ||
          fnmatch(word.c_str(), processor.c_str(), 0) == 0)
        meant.insert(target);
      else if (match(target, word, table) == Match::generic)
        by_generic.insert(target);
    }
    if (meant.empty()) meant = by_generic;
    if (meant.empty())
      faults.add_unknown(file, "", fmt::format("--keep {}: holds no such target", word), word,
                         std::vector<std::string>(there.begin(), there.end()));
    kept.merge(meant);
  }
  return {kept.begin(), kept.end()};
}

ShrinkOptions keep_only(std::vector<std::string> targets, bool compress) {
  return {[targets = std::move(targets)](std::string_view target) {
            return std::ranges::find(targets, target) != targets.end();
          },
          compress};
}

void write_like(const fs::path& from, const fs::path& to, std::string_view bytes, Disk& disk) {
  const fs::perms permissions = fs::status(from).permissions();
  disk.write_atomically(to, bytes);
  fs::permissions(to, permissions);
}

}  // namespace kernelgen::tool
