#include "base/environment.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

fs::path find_program(const Disk& disk, const Environment& environment, const std::string& program) {
  for (const fs::path& folder : path_list(environment("PATH")))
    if (const fs::path file = folder / program; disk.exists(file) && !disk.is_directory(file)) return file;
  return {};
}

}  // namespace kernelgen::tool
