#include "commands/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "commands/wrappers.hpp"
#include "emit/emit.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> stale_sources(const Disk& disk, const fs::path& out,
                                       const std::vector<EmittedFile>& files) {
  std::set<fs::path> wanted;
  for (const EmittedFile& file : files) wanted.insert(file.path);
  std::vector<std::string> stale;
  if (!disk.is_directory(out / source_folder)) return stale;
  for (const fs::path& path : disk.list(out / source_folder)) {
    const fs::path relative = fs::path(source_folder) / path.filename();
    if (!wanted.contains(relative)) stale.push_back(relative.string());
  }
  return stale;
}

void print_report(const EmitOptions& options, const EmitReport& report, std::FILE* out) {
  if (options.json) {
    const Json json = {{"current", report.is_current()},
                       {"missing", report.missing},
                       {"differs", report.differs},
                       {"stale", report.stale},
                       {"unchanged", report.unchanged}};
    fmt::print(out, "{}", json_text(json));
    return;
  }
  const auto print = [&](const char* verb, const std::vector<std::string>& paths) {
    for (const std::string& path : paths)
      fmt::print(out, "{} {}\n", verb, printable((options.out / path).string()));
  };
  print(options.check ? "missing:" : "new", report.missing);
  print(options.check ? "differs:" : "changed", report.differs);
  print(options.check ? "stale:" : "removed", report.stale);
  if (report.is_current())
    fmt::print(out, "{} files up to date in {}\n", report.unchanged, printable(options.out.string()));
  else if (options.check)
    fmt::print(out, "{} differs from its {}; 'kernel-gen emit{}' brings it up to date\n",
               printable(options.out.string()), options.wrappers ? "package" : "manifests",
               options.wrappers ? " --wrappers" : "");
}

std::vector<EmittedFile> files_of_manifests(const EmitOptions& options, const Disk& disk) {
  const TargetTable targets = read_targets(disk, options.targets);
  const KernelSet set = expand(read_manifests(disk, options.manifests, options.kernels));
  std::vector<EmittedFile> files = emit_sources(set, targets);
  if (options.registry) std::ranges::move(emit_registry(set, targets), std::back_inserter(files));
  return files;
}

}  // namespace

EmitReport emit(const EmitOptions& options, Disk& disk) {
  std::vector<EmittedFile> files = options.wrappers ? wrapper_files(*options.wrappers, options.name, disk)
                                                    : files_of_manifests(options, disk);
  std::ranges::sort(files, {}, &EmittedFile::path);

  EmitReport report;
  std::vector<const EmittedFile*> to_write;
  for (const EmittedFile& file : files) {
    const fs::path path = options.out / file.path;
    const bool is_there = disk.exists(path);
    if (is_there && disk.read(path) == file.text) {
      ++report.unchanged;
      continue;
    }
    (is_there ? report.differs : report.missing).push_back(file.path.string());
    to_write.push_back(&file);
  }
  if (!options.wrappers) report.stale = stale_sources(disk, options.out, files);
  if (options.check) return report;

  for (const EmittedFile* file : to_write) {
    disk.make_dirs((options.out / file->path).parent_path());
    disk.write_atomically(options.out / file->path, file->text);
  }
  for (const std::string& path : report.stale) disk.remove_tree(options.out / path);
  return report;
}

int run_emit(const EmitOptions& options, Disk& disk, std::FILE* out) {
  const EmitReport report = emit(options, disk);
  print_report(options, report, out);
  return options.check && !report.is_current() ? exit_failure : exit_ok;
}

}  // namespace kernelgen::tool
