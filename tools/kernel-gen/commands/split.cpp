#include "commands/split.hpp"

#include <fmt/format.h>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "build/package_parts.hpp"
#include "build/staging.hpp"
#include "commands/package_file.hpp"

namespace kernelgen::tool {

int run_split(const SplitOptions& options, Disk& disk, std::FILE* out) {
  const TargetTable table = read_targets(disk, options.paths.targets);
  const PackageParts all(open_package(disk, options.package));
  std::vector<std::string> files;
  for (const Target& target : all.targets()) files.push_back(target.name + ".kgpkg");
  const std::vector<std::string_view> owned(files.begin(), files.end());
  Staging staging(disk, options.out, owned);
  std::string lines;
  for (std::size_t t = 0; t < files.size(); ++t) {
    PackageParts one = all;
    one.keep_targets({all.targets()[t].name});
    one.write(staging.path() / files[t], table, disk);
    lines += files[t] + '\n';
  }
  staging.commit();
  fmt::print(out, "{}:\n{}", printable(options.out.string()), lines);
  return exit_ok;
}

}  // namespace kernelgen::tool
