#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kernelgen {

/// Value of an environment variable; empty where it is not set.
using Environment = std::function<std::string(const char* name)>;

/// The environment of this process.
Environment process_environment();

/// The variables ("NAME=VALUE") that compilers are started with, out of `all`: those they need to find programs
/// and folders. What changes code (CPATH, CCC_OVERRIDE_OPTIONS, NVCC_APPEND_FLAGS, SOURCE_DATE_EPOCH, ...) or
/// messages (the locale) stays out, also what is not known yet: the cache's key and the package's provenance
/// know nothing of it.
std::vector<std::string> compiler_environment(const char* const* all);

/// The folders of a colon-separated list like PATH.
std::vector<std::filesystem::path> path_list(const std::string& list);

/// Where what can be made again is kept: KERNELGEN_CACHE, else XDG_CACHE_HOME/kernelgen, else
/// ~/.cache/kernelgen; empty when none of the three is set.
std::filesystem::path cache_directory(const Environment& environment);

}  // namespace kernelgen
