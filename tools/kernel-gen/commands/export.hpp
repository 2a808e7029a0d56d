#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"

namespace kernelgen::tool {

struct ExportOptions {
  std::filesystem::path package;
  /// Folders, of which one is not empty.
  std::filesystem::path hsaco, cubin, ptx, candle, kpack;
  /// The candle that the crate is for.
  std::string candle_version = "0.11";
};

/// Writes a package's code for other loaders: code objects of one kind, one folder per target, with index.json, which
/// lists each kernel's file, arguments and resources; or AMD's as rocm-kpack archives, one per target; or all
/// of it as a crate that replaces candle-kernels.
/// All or nothing. Throws BadInput, also where the package has no code of that kind, Error(bad_package), DiskError.
int run_export(const ExportOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
