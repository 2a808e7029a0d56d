#pragma once
#include <cstdio>
#include <filesystem>
#include <string>

#include "base/disk.hpp"

namespace kernelgen::tool {

struct ReportOptions {
  std::filesystem::path package;  ///< file or build folder
  std::filesystem::path other;    ///< a package to compare with; may be empty
  std::string target;             ///< only code for it; empty: all
  std::filesystem::path
      launches;  ///< of the package on simulated GPUs, as ReportLaunches reads them; may be empty
  std::filesystem::path out;       ///< the page
  std::filesystem::path machines;  ///< figures of GPUs
  std::filesystem::path cache;     ///< of compiles, which knows how long they took; may be empty
};

/// Writes one HTML page that holds all it needs: kernels by target with their figures, to be sorted and filtered, and
/// where bytes and seconds went. Throws BadInput, Error(bad_package) and DiskError.
int run_report(const ReportOptions& options, Disk& disk, std::FILE* out);

}  // namespace kernelgen::tool
