#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/process.hpp"
#include "build/compile.hpp"
#include "build/jobserver.hpp"
#include "build/progress.hpp"

namespace kernelgen::tool {

/// A build with valid input that failed. Each message is a line or more, ready to print.
class BuildFailed : public std::runtime_error {
 public:
  explicit BuildFailed(std::vector<std::string> messages);
  const std::vector<std::string>& messages() const noexcept { return messages_; }

 private:
  std::vector<std::string> messages_;
};

/// A job to be compiled: its index, and how long its last compile took; 0 where that is not known.
struct Pending {
  std::size_t job;
  double seconds;
};

/// What a compile made.
struct Compiled {
  std::string object;
  std::string depfile;     ///< empty where the compiler wrote none
  std::int64_t start = 0;  ///< by Disk::now
  double seconds = 0;      ///< of all CPUs
};

/// Runs compiles in parallel.
class Schedule {
 public:
  struct Options {
    unsigned jobs = 1;
    bool verbose = false;  ///< print each command line and what compilers say
    /// Asked for each job but the first that runs; may be null.
    Jobserver* jobserver = nullptr;
  };

  /// Takes over what was compiled of jobs[job]; gives what is wrong with it, nothing where all is as it should be.
  using Finish = std::function<std::vector<std::string>(std::size_t job, const Compiled& compiled)>;

  Schedule(Disk& disk, ProcessRunner& runner, Progress& progress, Options options)
      : disk_(disk), runner_(runner), progress_(progress), options_(options) {}

  /// Gives what went wrong, in the order of the jobs whatever order they end in; nothing when each was finished well.
  /// Throws Interrupted, DiskError.
  std::vector<std::string> run(const std::vector<CompileJob>& jobs, std::vector<Pending> pending,
                               const Finish& finish);

 private:
  /// A job and how far it has come.
  struct Running {
    std::size_t job;
    std::size_t command = 0;
    Compiled compiled;
    std::string said;
  };

  /// Whether one more may run, with a token where that takes one.
  bool has_room();
  void start(const std::vector<CompileJob>& jobs, Running running);
  /// Nothing while commands are left.
  std::optional<std::vector<std::string>> collect(const std::vector<CompileJob>& jobs, Running running,
                                                  const ProcessResult& process, const Finish& finish);

  Disk& disk_;
  ProcessRunner& runner_;
  Progress& progress_;
  Options options_;
  std::map<std::uint64_t, Running> running_;  ///< by process
};

/// The lines of a compiler's output that say what is wrong, at most `most`, each shortened to what one reads.
std::string first_errors(const std::string& output, std::size_t most);

/// The output with the manifest's path where a line names it as the source does: "unary.json:7:3: error: ..."
std::string with_manifest_path(const std::string& output, const CompileJob& job);

}  // namespace kernelgen::tool
