#include "common/environment.hpp"

#include <stdlib.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace kernelgen {

namespace fs = std::filesystem;

namespace {

/// PATH also chooses the host compiler that nvcc preprocesses with, as NVCC_CCBIN does; hipcc finds its ROCm
/// install through the last rows. A name that ends in '*' stands for all that begin so.
constexpr std::string_view passed_on[] = {"PATH",         "HOME",           "USER",
                                          "LOGNAME",      "TMPDIR",         "LD_LIBRARY_PATH",
                                          "LD_PRELOAD",   "CCACHE_*",       "DISTCC_*",
                                          "ICECC_*",      "SCCACHE_*",      "CUDA_PATH",
                                          "CUDA_HOME",    "NVCC_CCBIN",     "ROCM_PATH",
                                          "HIP_PATH",     "HIP_CLANG_PATH", "HIP_PLATFORM",
                                          "HIP_COMPILER", "HIP_RUNTIME",    "HIP_ROCCLR_HOME",
                                          "HSA_PATH",     "DEVICE_LIB_PATH"};

bool is_passed_on(std::string_view name) {
  return std::any_of(std::begin(passed_on), std::end(passed_on), [&](std::string_view known) {
    return known.ends_with('*') ? name.starts_with(known.substr(0, known.size() - 1)) : name == known;
  });
}

}  // namespace

std::vector<std::string> compiler_environment(const char* const* all) {
  // clang reads option files in its own and in the user's folder unless it is told not to.
  std::vector<std::string> kept = {"LC_ALL=C", "CLANG_NO_DEFAULT_CONFIG=1"};
  for (; *all; ++all) {
    const std::string_view variable = *all;
    if (is_passed_on(variable.substr(0, variable.find('=')))) kept.emplace_back(variable);
  }
  return kept;
}

const char* environment_variable(const char* name) { return ::secure_getenv(name); }

Environment process_environment() {
  return [](const char* name) -> std::string {
    const char* value = environment_variable(name);
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

fs::path cache_directory(const Environment& environment) {
  if (const fs::path own = environment("KERNELGEN_CACHE"); !own.empty())
    return own.has_filename() ? own : own.parent_path();  // a trailing slash
  if (const std::string xdg = environment("XDG_CACHE_HOME"); !xdg.empty()) return fs::path(xdg) / "kernelgen";
  if (const std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "kernelgen";
  return {};
}

}  // namespace kernelgen
