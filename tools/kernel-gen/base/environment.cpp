#include "base/environment.hpp"

#include <algorithm>
#include <cstdlib>

namespace kernelgen::tool {

namespace fs = std::filesystem;

Environment process_environment() {
  return [](const char* name) -> std::string {
    const char* value = std::getenv(name);
    return value ? value : "";
  };
}

std::vector<fs::path> path_list(const std::string& list) {
  std::vector<fs::path> folders;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

fs::path find_program(const Disk& disk, const Environment& environment, const std::string& program) {
  for (const fs::path& folder : path_list(environment("PATH")))
    if (const fs::path file = folder / program; disk.exists(file) && !disk.is_directory(file)) return file;
  return {};
}

fs::path cache_directory(const Environment& environment) {
  if (const std::string own = environment("KERNELGEN_CACHE"); !own.empty()) return own;
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) return fs::path(xdg) / "kernelgen";
  if (const std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "kernelgen";
  return {};
}

}  // namespace kernelgen::tool
