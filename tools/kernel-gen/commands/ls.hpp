#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct ListOptions {
  Paths paths;
  std::filesystem::path package;  ///< or a model's file, *.gguf; empty: the manifests are listed
  std::string kernels_of;         ///< glob over operations; empty: operations are listed, not kernels
  bool json = false;
};

/// Prints operations with their dtypes and forms, or the kernels of some; of a model's file metadata and tensors; of a file of others its code objects for GPUs. Throws BadInput, Error, DiskError.
int run_ls(const ListOptions& options, const Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
