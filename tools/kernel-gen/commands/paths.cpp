#include "commands/paths.hpp"

#include <algorithm>

#include "manifest/manifest.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

std::vector<fs::path> Paths::includes() const {
  std::vector<fs::path> folders = {kernels};
  const auto add = [&](const fs::path& folder) {
    const auto is_same = [&](const fs::path& known) {
      return known.lexically_normal() == folder.lexically_normal();
    };
    if (!folder.empty() && std::ranges::none_of(folders, is_same)) folders.push_back(folder);
  };
  for (const fs::path& folder : manifests) add(own_kernels(folder));
  add(shipped_kernels);
  return folders;
}

namespace {

/// A build tree names its source tree in a file beside the program, so that the program names no folder: it is the same
/// wherever it was built.
fs::path source_tree(const Disk& disk, const fs::path& executable, const fs::path& otherwise) {
  const fs::path record = executable.parent_path() / "source-folder";
  return disk.exists(record) ? fs::path(disk.read(record)) : otherwise;
}

}  // namespace

Paths default_paths(const Disk& disk, const fs::path& executable) {
  const fs::path installed = executable.parent_path().parent_path() / "share" / "kernelgen";
  const bool is_installed = disk.exists(installed / "manifests" / "targets.json");
  const fs::path root = is_installed ? installed : source_tree(disk, executable, installed);
  Paths paths;
  paths.manifests = {root / "manifests" / "core"};
  paths.kernels = paths.shipped_kernels = root / "kernels";
  paths.targets = root / "manifests" / "targets.json";
  paths.machines = root / "manifests" / "machines.json";
  paths.schemas = root / "manifests" / "schema";
  paths.bench_cases = root / "bench" / "cases.json";
  const fs::path folder =
      executable.parent_path() / (is_installed ? "../" KERNELGEN_LIBRARY_FOLDER : "../..");
  paths.simulated_hip = folder.lexically_normal() / "libamdhip64-simulated.so";
  if (!is_installed) paths.generated = root / "generated";
  return paths;
}

}  // namespace kernelgen::tool
