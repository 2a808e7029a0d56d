#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/fault.hpp"

namespace kernelgen::tool {

/// A file of an import, as a copy of it: lines are where they were.
struct SourceFile {
  std::filesystem::path original;
  std::string text;
};

/// The file that is imported and those that it includes, by their paths in the kernels folder. Includes of each other are
/// written with these paths; those of HIP's and CUDA's headers, and of headers that are nowhere, are blank.
struct SourceTree {
  std::string main;  ///< key of the file that is imported
  std::map<std::string, SourceFile> files;
  std::vector<std::string> missing;  ///< headers that are nowhere

  /// "FILE" and the original's path of a path that a compiler named; the path itself where it is none of the tree's.
  std::string original(const std::filesystem::path& folder, const std::string& path) const;
};

/// Whether an #include names a header of HIP's or CUDA's, whose place kernels/imported/ takes.
bool is_device_header(std::string_view name);

struct SourceFolders {
  std::filesystem::path file;                   ///< that is imported
  std::vector<std::filesystem::path> includes;  ///< -I
};

/// Reads the files among `needed`, which a compiler listed, that are in the folder of the file or one of `includes`. `module`
/// is the folder of their keys. Adds a fault for each that is elsewhere; throws DiskError.
SourceTree read_source_tree(const Disk& disk, const SourceFolders& folders, const std::string& module,
                            const std::vector<std::filesystem::path>& needed, Faults& faults);

}  // namespace kernelgen::tool
