#include "commands/extract.hpp"

#include <fmt/format.h>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "commands/code_files.hpp"
#include "commands/package_file.hpp"

namespace kernelgen::tool {

int run_extract(const ExtractOptions& options, Disk& disk, std::FILE* out) {
  const Package package = open_package(disk, options.package);
  const std::vector<CodeFile> files = code_files(package, options.target, options.module);
  write_files("--out", options.out, code_file_texts(files), disk);
  fmt::print(out, "{}: {}\n", printable(options.out.string()), spell_count(files.size(), "code object"));
  return exit_ok;
}

}  // namespace kernelgen::tool
