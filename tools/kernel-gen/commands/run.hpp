#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct RunOptions {
  Paths paths;
  std::string operation;  ///< empty: all are listed
  std::string device = "cpu";
  bool lists_device = false;        ///< list only what has kernels for the device
  std::filesystem::path package;    ///< file or build folder; empty: as choose_package
  std::vector<std::string> inputs;  ///< .npy files, in the operation's order; "NAME=FILE": an optional input
  std::vector<std::string> dtypes;  ///< none, one for all inputs, or one an input
  std::vector<std::string> parameters;         ///< "name=value"
  std::vector<std::filesystem::path> outputs;  ///< .npy files, in the operation's order; may be fewer
  bool json = false;
  bool counters = false;  ///< print what a simulated GPU counted
};

/// Runs one operation on arrays from files, writes its outputs, and prints their dtypes, shapes and first values, and
/// the time. Without an operation it prints the list of those that the package has kernels for. Throws BadInput, which
/// says what to write, Error, DiskError; nothing is written then, or not all of several outputs where the disk refuses
/// one.
int run_operation(const RunOptions& options, Disk& disk, const Environment& environment, std::FILE* out);

/// The usage of `options.operation`, for --help. Needs no package: an operation that neither the library nor a package
/// has is looked up in the manifests. Throws BadInput where there is no such operation, or no package at the path given.
std::string describe_operation(const RunOptions& options, const Disk& disk, const Environment& environment);

}  // namespace kernelgen::tool
