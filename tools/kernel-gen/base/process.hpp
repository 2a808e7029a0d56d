#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
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
  double cpu_seconds = 0;  ///< its own and those of all it waited for

  bool ok() const { return start_error.empty() && signal == 0 && exit_code == 0; }
  /// "exit code 1", "killed by signal 9", "cannot be started: No such file or directory"
  std::string outcome() const;
};

/// A signal came that asks the tool to end; what it had started is dead by now.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int signal() const noexcept { return signal_; }

 private:
  int signal_;
};

/// The only interface to child processes, so that tests can replace it.
/// Not thread-safe: one thread starts and waits.
class ProcessRunner {
 public:
  virtual ~ProcessRunner() = default;
  /// Starts a program; a failure to start is reported by wait_any like any other end.
  virtual std::uint64_t start(const CommandLine& command) = 0;
  /// The next process that has ended. Nothing when none is running, or when a signal came that asks the tool to
  /// end: then all children have been killed and interrupted() says so. With a descriptor, also a result with the id 0
  /// as soon as it can be read.
  virtual std::optional<ProcessResult> wait_any(int descriptor = -1) = 0;
  /// Kills everything started and not yet reported. Their results are dropped.
  virtual void cancel() = 0;
  /// The signal that came, or 0.
  virtual int interrupted() const = 0;
  /// Waits for that time, or until a signal comes that asks the tool to end.
  virtual void pause(std::chrono::milliseconds time) = 0;
  /// A variable of the environment of what is started from now on.
  virtual void set_variable(const std::string& name, const std::string& value) = 0;
};

/// The real thing: posix_spawn, both streams captured through pipes, stdin empty. What is started dies with
/// this process, however that ends, and with it all that it started itself. While the runner lives, SIGINT,
/// SIGTERM and SIGHUP are only noted, unless they were ignored before; one such runner may exist at a time.
/// `environment` ("NAME=VALUE") is that of the children; nothing: this process's.
std::unique_ptr<ProcessRunner> make_process_runner(
    std::optional<std::vector<std::string>> environment = std::nullopt);

/// Starts one program and waits for it. Nothing else may be running.
ProcessResult run_process(ProcessRunner& runner, const CommandLine& command);

/// The command line as a POSIX shell would take it, to be copied from -v output.
std::string quoted(const CommandLine& command);

}  // namespace kernelgen::tool
