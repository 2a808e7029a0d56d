#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "build/cache.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Programs asked about themselves: each command runs once, and its answer is kept, in the cache too for as long as
/// the program's files, and those that the command names, are as they were.
class Questions {
 public:
  /// No `cache`: answers live as long as this.
  Questions(const Disk& disk, ProcessRunner& runner, const Environment& environment, Cache* cache)
      : disk_(disk), runner_(runner), environment_(environment), cache_(cache) {}

  const ProcessResult& ask(const CommandLine& command);

  /// A hash of what the program consists of: its file, the shared libraries it loads and the programs in its folder that
  /// it starts. A compiler that was upgraded in place has another, whatever it calls itself.
  const std::string& identity(const std::filesystem::path& program);

 private:
  struct Program {
    std::string identity;
    Json parts;    ///< (path, size, inode, time of change) of each file
    Json answers;  ///< by hash of the command
  };

  Program& program(const std::filesystem::path& path);
  bool is_unchanged(const Json& parts) const;
  std::vector<std::filesystem::path> parts_of(const std::filesystem::path& path);
  std::string key_of(const CommandLine& command) const;
  Hash128 cache_key(const std::string& path) const;
  void save(const std::string& path, const Program& program);

  const Disk& disk_;
  ProcessRunner& runner_;
  const Environment& environment_;
  Cache* cache_;
  std::map<std::string, Program> programs_;
  std::map<CommandLine, ProcessResult> answers_;
};

}  // namespace kernelgen::tool
