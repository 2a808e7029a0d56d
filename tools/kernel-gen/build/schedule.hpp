#pragma once
#include <functional>
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

/// Runs compiles, several at once.
class Schedule {
 public:
  struct Options {
    unsigned jobs = 1;
    bool verbose = false;  ///< print each command line and what compilers say
  };

  /// Takes over the object of jobs[job]; gives what is wrong with it, nothing where all is as it should be.
  using Accept = std::function<std::vector<std::string>(std::size_t job, std::string object)>;

  Schedule(Disk& disk, ProcessRunner& runner, ObjectCache& cache, Progress& progress, Options options)
      : disk_(disk), runner_(runner), cache_(cache), progress_(progress), options_(options) {}

  /// Gives what went wrong, in the order of the jobs whatever order they end in; nothing when each job's object
  /// was accepted. Only such objects go into the cache, and one from the cache that is not accepted is compiled
  /// anew. Throws Interrupted, DiskError.
  std::vector<std::string> run(const std::vector<CompileJob>& jobs, const Accept& accept);

 private:
  std::vector<std::string> collect(const CompileJob& job, std::size_t index, const ProcessResult& process,
                                   const Accept& accept);
  void store(const CompileJob& job, const std::string& object);

  Disk& disk_;
  ProcessRunner& runner_;
  ObjectCache& cache_;
  Progress& progress_;
  Options options_;
  bool can_store_ = true;
};

/// The lines of a compiler's output that say what is wrong, at most `most`, each shortened to what one reads.
std::string first_errors(const std::string& output, std::size_t most);

/// The output with the manifest's path where a line names it as the source does: "unary.json:7:3: error: ..."
std::string with_manifest_path(const std::string& output, const CompileJob& job);

}  // namespace kernelgen::tool
