#include "package_file.hpp"

#include <fmt/format.h>

#include "fault.hpp"
#include "kernel.hpp"
#include "types.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

Package open_package(const Disk& disk, const fs::path& path) {
  const fs::path file = disk.is_directory(path) ? path / "kernelgen.kgpkg" : path;
  if (!disk.exists(file))
    throw BadInput(Fault{file.string(), "", "no package is there; 'kernel-gen build' writes one", {}});
  return Package::open(file);
}

std::string type_name(std::uint32_t code) {
  if (code & variable_flag) return fmt::format("T{}", code & ~variable_flag);
  return element_names()[code];
}

}  // namespace kernelgen::tool
