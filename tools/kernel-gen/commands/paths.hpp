#pragma once
#include <filesystem>
#include <vector>

#include "base/disk.hpp"

namespace kernelgen::tool {

/// Paths of manifests, kernel bodies, the table of targets, the schemas of both and the list of bench cases.
struct Paths {
  std::vector<std::filesystem::path> manifests;  ///< folders
  std::filesystem::path kernels;                 ///< what manifests' headers are relative to
  std::filesystem::path shipped_kernels;  ///< the folder of the shipped headers, for bodies in other folders
  std::filesystem::path targets;
  std::filesystem::path machines;       ///< figures of GPUs, next to the table of targets
  std::filesystem::path schemas;        ///< folder of *.schema.json
  std::filesystem::path bench_cases;    ///< what `kernel-gen bench` times
  std::filesystem::path simulated_hip;  ///< libamdhip64-simulated.so
  std::filesystem::path generated;      ///< where emit writes; empty in an install tree

  /// Include path of a compile: the kernels, those next to manifests, then what is shipped, each folder once.
  std::vector<std::filesystem::path> includes() const;
};

/// Those of the install tree around `executable` (../share/kernelgen), else of the source tree that the file
/// `source-folder` next to it names.
Paths default_paths(const Disk& disk, const std::filesystem::path& executable);

}  // namespace kernelgen::tool
