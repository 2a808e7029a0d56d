#pragma once
#include <stdexcept>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/process.hpp"
#include "build/cache.hpp"
#include "build/compile.hpp"
#include "build/progress.hpp"

namespace kernelgen::tool {

/// A build whose work was understood but did not succeed. Each message is a line or more, ready to print.
class BuildFailed : public std::runtime_error {
 public:
  explicit BuildFailed(std::vector<std::string> messages);
  const std::vector<std::string>& messages() const noexcept { return messages_; }

 private:
  std::vector<std::string> messages_;
};

/// SIGINT or SIGTERM came while compilers ran; they are dead by now.
class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error("interrupted") {}
};

/// What one compile came to.
struct CompileResult {
  std::string object;   ///< Empty when it failed.
  std::string failure;  ///< Empty when it did not.
};

/// Runs compiles, several at once.
class Schedule {
 public:
  struct Options {
    unsigned jobs = 1;
    bool verbose = false;  ///< print each command line and what compilers say
  };

  Schedule(Disk& disk, ProcessRunner& runner, ObjectCache& cache, Progress& progress, Options options)
      : disk_(disk), runner_(runner), cache_(cache), progress_(progress), options_(options) {}

  /// The results in the order of the jobs, whatever order they end in. Throws Interrupted, DiskError.
  std::vector<CompileResult> run(const std::vector<CompileJob>& jobs);

 private:
  CompileResult collect(const CompileJob& job, const ProcessResult& process);

  Disk& disk_;
  ProcessRunner& runner_;
  ObjectCache& cache_;
  Progress& progress_;
  Options options_;
};

/// The lines of a compiler's output that say what is wrong, at most `most`.
std::string first_errors(const std::string& output, std::size_t most);

}  // namespace kernelgen::tool
