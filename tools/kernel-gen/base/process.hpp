#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernelgen::tool {

/// A program and its arguments, passed as they are: no shell ever sees them.
using CommandLine = std::vector<std::string>;

struct ProcessResult {
  std::uint64_t id = 0;
  /// Why the program could not be started ("No such file or directory"); empty when it ran.
  std::string start_error;
  int exit_code = -1;  ///< Valid when signal == 0.
  int signal = 0;      ///< The signal that ended it, or 0.
  std::string out;
  std::string err;

  bool ok() const { return start_error.empty() && signal == 0 && exit_code == 0; }
  /// "exit code 1", "killed by signal 9", "cannot be started: No such file or directory"
  std::string outcome() const;
};

/// The one door to child processes, so that tests can stand behind it.
/// Not thread-safe: one thread starts and waits.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  /// Starts a program; a failure to start is reported by wait_any like any other end.
  virtual std::uint64_t start(const CommandLine& command) = 0;
  /// The next process that has ended. Nothing when none is running, or when SIGINT/SIGTERM came: then all
  /// children have been killed and interrupted() says so.
  virtual std::optional<ProcessResult> wait_any() = 0;
  /// Kills everything started and not yet reported. Their results are dropped.
  virtual void cancel() = 0;
  virtual bool interrupted() const = 0;
};

/// The real thing: posix_spawn, both streams captured through pipes, stdin empty, each child in its own
/// process group. While it lives, SIGINT and SIGTERM only set a flag; one such runner may exist at a time.
std::unique_ptr<ProcessRunner> make_process_runner();

/// Starts one program and waits for it. Nothing else may be running.
ProcessResult run_process(ProcessRunner& runner, const CommandLine& command);

/// The command line as a POSIX shell would take it, to be copied from -v output.
std::string quoted(const CommandLine& command);

}  // namespace kernelgen::tool
