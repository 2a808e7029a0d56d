#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"

namespace kernelgen::tool {

struct ExportOptions {
  std::filesystem::path package;
  /// Folders, of which one is not empty.
  std::filesystem::path hsaco, cubin, ptx, candle, kpack, fatbin;
  /// The candle that the crate is for.
  std::string candle_version = "0.11";
};

/// Writes a package's code for other loaders: code objects of one kind, one folder per target, with index.json, which
/// lists each kernel's file, arguments and resources; or AMD's as rocm-kpack archives, one per target; or all
/// of it as a crate that replaces candle-kernels.
/// All or nothing. Throws BadInput, also where the package has no code of that kind, Error(bad_package), DiskError.
int run_export(const ExportOptions& options, Disk& disk, std::FILE* out);

/// Writes AMD's code as an object that HIP programs link, into the folder `fatbin`. All or nothing. Throws as run_export().
int run_export_fatbin(const ExportOptions& options, Disk& disk, ProcessRunner& runner,
                      const Environment& environment, std::FILE* out);

}  // namespace kernelgen::tool
