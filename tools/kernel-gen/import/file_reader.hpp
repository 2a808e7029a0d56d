#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "base/process.hpp"
#include "import/imported_kernel.hpp"
#include "import/source_tree.hpp"

namespace kernelgen::tool {

struct FileRequest {
  std::filesystem::path file;
  std::vector<std::filesystem::path> includes;
  std::vector<std::string> defines;    ///< NAME or NAME=VALUE
  std::vector<std::string> kernels;    ///< which of its kernels; empty: all
  std::vector<std::string> instances;  ///< of templates, as C++ spells them: "k<float, 128>"
  std::string module;
  bool leaves_out = false;  ///< kernels that do not compile are left out, not refused
};

struct ReadFile {
  ImportedFile file;
  SourceTree tree;
  Faults left_out;  ///< with leaves_out: what was wrong with those
};

/// The compiler, its headers, and an empty folder to work in.
struct ImportTools {
  std::filesystem::path clang;
  std::filesystem::path shipped_kernels;
  std::filesystem::path folder;
};

/// Reads a file of HIP or CUDA with clang. Throws BadInput with all that is wrong with it, by location; DiskError.
ReadFile read_file(const FileRequest& request, const ImportTools& tools, Disk& disk, ProcessRunner& runner);

}  // namespace kernelgen::tool
