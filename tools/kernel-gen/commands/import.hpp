#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct ImportOptions {
  Paths paths;
  std::vector<std::filesystem::path> sources;   ///< files of HIP or CUDA
  std::vector<std::filesystem::path> includes;  ///< folders of headers
  std::vector<std::string> defines;             ///< NAME or NAME=VALUE
  std::vector<std::string> kernels;             ///< which of their kernels; empty: all
  std::vector<std::string> instances;           ///< of templates: "k<float, 128>"
  std::string module;                           ///< of one file; empty: the file's name
  bool leaves_out = false;                      ///< kernels that do not compile
  std::filesystem::path out = "imported";
};

/// Reads the kernels of files of HIP or CUDA with clang and writes what builds take: OUT/manifests/MODULE.json, and in
/// OUT/kernels its header and the files that it needs, without their host code. Throws BadInput, DiskError; nothing is written
/// then.
int run_import(const ImportOptions& options, Disk& disk, ProcessRunner& runner,
               const Environment& environment, std::FILE* out);

}  // namespace kernelgen::tool
