#include "commands/merge.hpp"

#include <fmt/format.h>

#include "base/fault.hpp"
#include "build/package_parts.hpp"
#include "commands/package_file.hpp"

namespace kernelgen::tool {

int run_merge(const MergeOptions& options, Disk& disk, std::FILE* out) {
  const TargetTable table = read_targets(disk, options.paths.targets);
  PackageParts parts(open_package(disk, options.packages.front()));
  for (std::size_t i = 1; i < options.packages.size(); ++i)
    parts.merge(PackageParts(open_package(disk, options.packages[i])));
  fmt::print(out, "{}\n", parts.write(options.out, table, disk));
  return exit_ok;
}

}  // namespace kernelgen::tool
