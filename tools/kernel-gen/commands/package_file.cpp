#include "commands/package_file.hpp"

#include <fmt/format.h>

#include "base/fault.hpp"
#include "commands/build.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

Package open_package(const Disk& disk, const fs::path& path) {
  const fs::path file = disk.is_directory(path) ? path / "kernelgen.kgpkg" : path;
  if (!disk.exists(file))
    throw BadInput(Fault{file.string(), "", "there is no package; 'kernel-gen build' writes one", {}});
  return Package::open(file);
}

Package choose_package(const fs::path& path, const Paths& paths, const Disk& disk,
                       const Environment& environment) {
  if (!path.empty()) return open_package(disk, path);
  if (environment("KERNELGEN_PACKAGE").empty())
    for (const fs::path& folder : {BuildOptions().out, paths.targets.parent_path().parent_path()})
      if (disk.exists(folder / "kernelgen.kgpkg")) return open_package(disk, folder);
  try {
    return Package::embedded();
  } catch (const Error& error) {
    if (error.code() != Code::not_found) throw;
    throw BadInput(
        Fault{{},
              {},
              "there is no package; 'kernel-gen build' writes one to ./kernelgen-package, and --package or "
              "KERNELGEN_PACKAGE names another",
              {}});
  }
}

std::uint32_t need_target(const Package& package, const std::string& name) {
  if (const auto index = package.find_target(name)) return *index;
  std::vector<std::string> names;
  for (const auto& target : package.targets()) names.emplace_back(package.text(target.name));
  Faults faults;
  faults.add_unknown(package.name(), "", fmt::format("holds no target '{}'", name), name, names);
  throw BadInput(faults.list());
}

CodeObject read_code(const Package& package, std::uint32_t target, std::uint32_t module) {
  const PackageCode code = package.code(target, module);
  try {
    return read_code_object({reinterpret_cast<const char*>(code.data()), code.size()});
  } catch (const BadCodeObject& error) {
    throw BadInput(
        Fault{fmt::format("{}: {} {}", package.name(), package.text(package.targets()[target].name),
                          package.text(package.modules()[module].name)),
              "",
              fmt::format("code object cannot be read: {}", error.what()),
              {}});
  }
}

}  // namespace kernelgen::tool
