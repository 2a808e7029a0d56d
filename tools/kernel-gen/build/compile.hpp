#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/digest.hpp"
#include "base/disk.hpp"
#include "base/process.hpp"
#include "build/toolchain.hpp"

namespace kernelgen::tool {

/// The files of one compile.
struct CompilePaths {
  std::filesystem::path source;
  std::filesystem::path output;
  std::vector<std::filesystem::path> includes;  ///< folders of kernel bodies
  std::vector<std::filesystem::path> bitcode;   ///< hip: device bitcode, in link order
};

/// One module for one target.
struct CompileJob {
  std::string target;
  std::string module;
  CommandLine command;
  std::filesystem::path output;
  Hash128 key;  ///< of all that goes into the output, and of no path
  std::size_t source_bytes = 0;
  /// The manifest as the source names it, without folders, and as the user does: in messages the one stands for
  /// the other.
  std::string manifest;
  std::string manifest_path;
};

/// Names of the device library's files for a target, without the ISA's.
std::vector<std::string> device_bitcode_names(const Target& target, const Disk& disk,
                                              const std::filesystem::path& folder);

/// The command that makes the target's code object.
CommandLine compile_command(const TargetTools& tools, const CompilePaths& paths);

/// The same with bare file names: for the cache's key and for provenance, where no folder of this machine
/// belongs.
CommandLine portable_command(const TargetTools& tools, const CompilePaths& paths);

/// As one would type it in the current folder: the output lies there, under a telling name.
CommandLine shown_command(const CompileJob& job);

/// Hash of every file below `folder`, by relative path and content. Throws DiskError.
Hash128 hash_folder(const Disk& disk, const std::filesystem::path& folder);

}  // namespace kernelgen::tool
