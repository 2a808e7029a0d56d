#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kernelgen {

/// The result of a finished program.
struct ProgramEnd {
  std::optional<int> status;  ///< of waitpid; nothing where the process reaps its children itself
  std::string output;         ///< its stdout and stderr

  /// "exit code 1", "killed by signal 9"
  std::string outcome() const;
};

/// Runs the program, a path and its arguments, with compiler_environment(), `variables` ("NAME=VALUE") and an empty input,
/// and waits for it. Throws Error(unsupported) where it cannot be started.
ProgramEnd run_program(const std::vector<std::string>& command,
                       const std::vector<std::string>& variables = {});

/// The executable of that name in the folders of PATH, or of that path; empty if it is not found.
std::filesystem::path find_program(const std::string& name);

}  // namespace kernelgen
