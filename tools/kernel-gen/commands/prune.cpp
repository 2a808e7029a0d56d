#include "commands/prune.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <sstream>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "build/package_parts.hpp"
#include "commands/binary_file.hpp"
#include "commands/output_file.hpp"
#include "commands/package_file.hpp"
#include "commands/shrink_file.hpp"
#include "common/mapped_file.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

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

/// The words, with those of the files that "@FILE" names in its place: a line may have several, and a comment after "#".
std::vector<std::string> with_files(const std::vector<std::string>& words, const Disk& disk) {
  std::vector<std::string> all;
  for (const std::string& word : words) {
    if (!word.starts_with('@')) {
      all.push_back(word);
      continue;
    }
    std::istringstream lines(disk.read(word.substr(1)));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream rest(line.substr(0, line.find('#')));
      for (std::string each; rest >> each;) all.push_back(each);
    }
  }
  return all;
}

/// Those of `names` that the words mean, in their order. Throws BadInput for a word that means none.
std::vector<std::string> chosen_operations(const std::vector<std::string>& words,
                                           const std::vector<std::string>& names,
                                           const std::string& package) {
  Faults faults;
  std::vector<bool> is_chosen(names.size());
  for (const std::string& word : words) {
    bool is_known = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (fnmatch(word.c_str(), names[i].c_str(), 0) != 0) continue;
      is_chosen[i] = is_known = true;
    }
    if (!is_known)
      faults.add_unknown(package, "", fmt::format("--operations {}: holds no such operation", word), word,
                         names);
  }
  if (words.empty()) faults.add(package, "", "--operations: names none");
  faults.throw_if_any();
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (is_chosen[i]) kept.push_back(names[i]);
  return kept;
}

int prune_binary(const PruneOptions& options, const TargetTable& table, Disk& disk, std::FILE* out) {
  const std::string name = options.package.string();
  const auto refuse = [&](std::string what) { throw BadInput(Fault{name, "", std::move(what), {}}); };
  if (disk.is_directory(options.package)) refuse("is a folder; 'kernel-gen repack' shrinks the files of one");
  if (options.in_place != options.out.empty())
    refuse("prune: name the file to write with --out, or say --in-place");
  if (!options.operations.empty() || options.solid)
    refuse("prune: --operations and --solid are for packages");
  if (options.keep.empty() && !options.compress)
    refuse("prune: name what to keep with --keep, or say --compress");
  if (!options.in_place) refuse_inputs(disk, "--out", options.out, {options.package});
  const Binary binary = open_binary(options.package);
  Faults faults;
  const std::vector<std::string> words = options.keep.empty() ? std::vector<std::string>{"*"} : options.keep;
  const ShrinkOptions shrinking =
      keep_only(kept_targets(binary, words, table, faults, name), options.compress);
  faults.throw_if_any();
  const MappedFile file(options.package);
  const std::string_view bytes(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
  std::string shrunk;
  try {
    shrunk = shrink(bytes, shrinking);
  } catch (const std::runtime_error& error) {
    refuse(fmt::format("is left as it is: {}", error.what()));
  }
  const fs::path& to = options.in_place ? options.package : options.out;
  write_like(options.package, to, shrunk, disk);
  fmt::print(out, "{}: {}, before {}\n", printable(to.string()), spell_bytes(shrunk.size()),
             spell_bytes(bytes.size()));
  return exit_ok;
}

}  // namespace

int run_prune(const PruneOptions& options, Disk& disk, std::FILE* out) {
  const TargetTable table = read_targets(disk, options.paths.targets);
  if (is_binary(disk, options.package)) return prune_binary(options, table, disk, out);
  if (options.compress || options.in_place)
    throw BadInput(Fault{options.package.string(),
                         "",
                         "--compress and --in-place are for programs and libraries, not for packages",
                         {}});
  if ((options.keep.empty() && options.operations.empty() && !options.solid) || options.out.empty())
    throw BadInput(
        Fault{options.package.string(),
              "",
              "prune: name what to keep with --keep or --operations, and the package to write with --out",
              {}});
  const Package package = open_package(disk, options.package);
  PackageParts parts(package);
  std::vector<std::string> names;
  for (const Target& target : parts.targets()) names.push_back(target.name);
  if (!options.keep.empty()) parts.keep_targets(chosen(options.keep, names, table, package.name()));
  if (!options.operations.empty())
    parts.keep_operations(
        chosen_operations(with_files(options.operations, disk), parts.operations(), package.name()));
  if (options.solid) parts.make_solid();
  fmt::print(out, "{}\n", parts.write(options.out, table, disk));
  return exit_ok;
}

}  // namespace kernelgen::tool
