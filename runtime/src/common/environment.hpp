#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace kernelgen {

/// Value of an environment variable; empty where it is not set.
using Environment = std::function<std::string(const char* name)>;

/// The value of a variable of this process. Null where it is not set, and in a program that runs with rights its user does
/// not have (set-uid, set-gid, capabilities): variables name libraries, compilers, packages and files to write.
const char* environment_variable(const char* name);

/// The same, as a function.
Environment process_environment();

/// The variables ("NAME=VALUE") that compilers are started with, out of `all`: those they need to find programs
/// and folders. What changes code (CPATH, CCC_OVERRIDE_OPTIONS, NVCC_APPEND_FLAGS, SOURCE_DATE_EPOCH, ...) or
/// messages (the locale) stays out, also what is not known yet: the cache's key and the package's provenance
/// know nothing of it.
std::vector<std::string> compiler_environment(const char* const* all);

/// The folders in a colon-separated list such as PATH.
std::vector<std::filesystem::path> path_list(const std::string& list);

/// Where what can be made again is kept: KERNELGEN_CACHE, else XDG_CACHE_HOME/kernelgen, else
/// ~/.cache/kernelgen; empty when none of the three is set.
std::filesystem::path cache_directory(const Environment& environment);

}  // namespace kernelgen
