#include "commands/extract.hpp"

#include <fmt/format.h>

#include <cctype>
#include <set>
#include <string_view>
#include <vector>

#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "commands/binary_file.hpp"
#include "commands/code_files.hpp"
#include "commands/package_file.hpp"
#include "manifest/part.hpp"

namespace kernelgen::tool {

namespace {

/// A name of a container as that of a file.
std::string file_name(std::string_view text) {
  std::string name;
  for (const unsigned char c : text)
    name += std::isalnum(c) || std::string_view("+-_.").find(static_cast<char>(c)) != std::string_view::npos
                ? static_cast<char>(c)
                : '_';
  return name.starts_with('.') ? "_" + name : name;
}

bool is_wanted(const Binary::Code& code, const ExtractOptions& options) {
  const std::string processor = code.target.substr(0, code.target.find(':'));
  return (options.target.empty() || options.target == code.target || options.target == processor) &&
         (options.module.empty() || is_part_of(code.module, options.module));
}

/// TARGET/MODULE.hsaco; what has the name of another gets a number.
std::string path_of(const Binary::Code& code, std::set<std::string>& taken) {
  const std::string stem = file_name(code.target) + "/" + file_name(code.module);
  for (std::size_t copy = 1;; ++copy) {
    const std::string number = copy == 1 ? "" : fmt::format("-{}", copy);
    if (std::string path = fmt::format("{}{}.{}", stem, number, extension_of(code.kind));
        taken.insert(path).second)
      return path;
  }
}

int extract_binary(const ExtractOptions& options, Disk& disk, std::FILE* out) {
  const Binary binary = open_binary(options.package);
  std::vector<const Binary::Code*> codes;
  std::vector<std::string> paths;
  std::set<std::string> taken;
  for (const Binary::Code& code : binary.codes()) {
    if (!is_wanted(code, options)) continue;
    codes.push_back(&code);
    paths.push_back(path_of(code, taken));
  }
  if (codes.empty())
    throw BadInput(Fault{options.package.string(),
                         "",
                         "holds no code of that target and module; 'kernel-gen ls' lists both",
                         {}});
  PackageCode bytes;
  const auto bytes_of = [&](std::size_t i) {
    bytes = binary.code(*codes[i]);
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  write_files("--out", options.out, paths, bytes_of, disk);
  fmt::print(out, "{}: {}\n", printable(options.out.string()), spell_count(paths.size(), "code object"));
  return report_damages(binary);
}

}  // namespace

int run_extract(const ExtractOptions& options, Disk& disk, std::FILE* out) {
  if (is_binary(disk, options.package)) return extract_binary(options, disk, out);
  const Package package = open_package(disk, options.package);
  const std::vector<CodeFile> files = code_files(package, options.target, options.module);
  write_files("--out", options.out, code_file_texts(files), disk);
  fmt::print(out, "{}: {}\n", printable(options.out.string()), spell_count(files.size(), "code object"));
  return exit_ok;
}

}  // namespace kernelgen::tool
