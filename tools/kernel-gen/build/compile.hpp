#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/process.hpp"
#include "build/source_text.hpp"
#include "build/toolchain.hpp"

namespace kernelgen::tool {

/// The files of one compile.
struct CompilePaths {
  std::filesystem::path source;
  std::filesystem::path output;
  std::filesystem::path depfile;  ///< where the compiler lists the files that it read; empty: none
  std::vector<std::filesystem::path> includes;  ///< folders of kernel bodies
  std::vector<std::filesystem::path> bitcode;   ///< hip: device bitcode, in link order
};

/// A module's source.
struct Source {
  std::string text;
  SourceText scanned;
  std::string manifest;       ///< as the text names it, without folders
  std::string manifest_path;  ///< as the user named it; replaces `manifest` in messages
};

/// All inputs of a compile except the files that its source includes, without paths of this machine.
struct CompileRequest {
  std::string compiler;  ///< its version, then a hash of what it consists of
  std::string bitcode;   ///< hash of the device bitcode
  std::string flags;     ///< the commands, with bare file names
  std::string source;    ///< hash of the tokens of its text

  bool operator==(const CompileRequest&) const = default;
};

/// One module for one target.
struct CompileJob {
  std::string target;
  std::string module;
  CompileRequest request;
  const Source* source = nullptr;
  std::filesystem::path input;  ///< the source's file; empty as long as it is not written
  std::filesystem::path output;
  std::filesystem::path depfile;
  std::vector<CommandLine> commands;  ///< run in order; empty until they are needed

  std::string name() const { return target + ' ' + module; }
};

/// Names of the device library's files for a target, without the ISA's.
std::vector<std::string> device_bitcode_names(const Target& target, const Disk& disk,
                                              const std::filesystem::path& folder);

/// The object that the first of a CPU's two commands makes, and the second links into `output`.
std::filesystem::path host_object(const std::filesystem::path& output);

/// The commands that make the target's code object. The first compiles one source, as compiler launchers take it; a
/// second, on CPUs, links.
std::vector<CommandLine> compile_commands(const TargetTools& tools, const CompilePaths& paths);

/// The same with bare file names, as one line: for the cache's key and for provenance, where no folder of this machine
/// belongs.
std::string portable_commands(const TargetTools& tools, const CompilePaths& paths);

/// The command as typed in the current folder, with a descriptive name for the output there.
std::string shown_commands(const CompileJob& job);

}  // namespace kernelgen::tool
