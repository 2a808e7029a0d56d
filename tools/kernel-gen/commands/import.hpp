#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "commands/places.hpp"

namespace kernelgen::tool {

struct ImportOptions {
  Places places;
  std::filesystem::path source;      ///< a file of HIP
  std::vector<std::string> kernels;  ///< which of its kernels; empty: all
  std::string module;                ///< empty: the file's name
  std::filesystem::path out = "imported";
};

/// Reads the kernels of a file of HIP with clang and writes what builds take: OUT/manifests/MODULE.json, and in OUT/kernels
/// its header, the file with those it includes by "", and a stand-in for HIP's own header. Throws BadInput, DiskError;
/// nothing is written then.
int run_import(const ImportOptions& options, Disk& disk, ProcessRunner& runner,
               const Environment& environment, std::FILE* out);

}  // namespace kernelgen::tool
