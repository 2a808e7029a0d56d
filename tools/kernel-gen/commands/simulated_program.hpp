#pragma once
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/disk.hpp"
#include "base/process.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

/// A temporary file to which the simulator appends lines of JSON.
class JsonLines {
 public:
  explicit JsonLines(Disk& disk);
  ~JsonLines();
  JsonLines(const JsonLines&) = delete;
  JsonLines& operator=(const JsonLines&) = delete;

  std::string path() const { return path_.string(); }
  /// A list of what is in it.
  nlohmann::ordered_json read() const;

 private:
  Disk& disk_;
  std::filesystem::path path_;
};

/// Makes libamdhip64-simulated.so the library of what `runner` starts and of this process's `hip:` devices, `gpu` its device,
/// and sets further variables. Throws BadInput: the library is not there.
void simulate(const Paths& paths, const Disk& disk, ProcessRunner& runner, const std::string& gpu,
              const std::vector<std::pair<std::string, std::string>>& variables);

/// Runs a program and copies its output to `out` and stderr. Gives how it failed, or nothing. Throws BadInput: it does not start.
std::string run_program(const CommandLine& words, ProcessRunner& runner, std::FILE* out);

}  // namespace kernelgen::tool
