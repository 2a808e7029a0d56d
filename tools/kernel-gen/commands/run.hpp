#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "commands/places.hpp"

namespace kernelgen::tool {

struct RunOptions {
  Places places;
  std::string operation;
  std::string device = "cpu";
  std::filesystem::path package;              ///< file or build folder; empty: as choose_package
  std::vector<std::filesystem::path> inputs;  ///< .npy files, in the operation's order
  std::vector<std::string> dtypes;            ///< none, one for all inputs, or one an input
  std::vector<std::string> parameters;        ///< "name=value"
  std::filesystem::path output;               ///< empty: nothing is written
  bool json = false;
};

/// Runs one operation on arrays from files, writes the result, and prints its dtype, shape, first values and
/// time. `cast` takes the parameter dtype=NAME; every other parameter is a scalar of the operation, by its
/// manifest's name. Throws BadInput, Error, DiskError;
/// nothing is written then.
int run_operation(const RunOptions& options, Disk& disk, const Environment& environment, std::FILE* out);

}  // namespace kernelgen::tool
