#pragma once
#include <optional>
#include <string>
#include <vector>

#include "build/compile_cache.hpp"
#include "build/package_writer.hpp"
#include "build/plan.hpp"
#include "build/schedule.hpp"

namespace kernelgen::tool {

/// All objects of a build, and the files that their compiles read.
struct BuiltObjects {
  std::vector<BuiltTarget> targets;
  /// One per job; nullopt if they are not known: the next build then compiles it again.
  std::vector<std::optional<ReadSet>> reads;
};

/// Where a job's object came from, and why.
struct ObjectRow {
  enum class State { cached, pending, compiled, taken };
  State state = State::cached;
  std::string why;     ///< why it is compiled; empty if it was in the cache
  double seconds = 0;  ///< CPU seconds of the compile; if pending, of its last one
};

/// Compiles what the cache does not have and checks every object against the manifests. Only objects that pass go into
/// the cache, and one from the cache that does not is compiled anew.
class Build {
 public:
  Build(const BuildPlan& plan, PlannedJobs& planned, Disk& disk, CompileCache& cache, Progress& progress)
      : plan_(plan), planned_(planned), disk_(disk), cache_(cache), progress_(progress) {}

  /// Takes what the cache has and prepares the other jobs. Throws DiskError.
  void look_up(unsigned threads);
  /// Compiles those jobs. Throws BuildFailed with every failed compile and check, Interrupted, DiskError.
  BuiltObjects run(Schedule& schedule);
  /// Instead of both: takes the objects that others compiled into `folder`. Throws BuildFailed, DiskError.
  BuiltObjects take(const std::filesystem::path& folder);

  /// One per job.
  const std::vector<ObjectRow>& rows() const { return rows_; }
  bool has_stored() const { return has_stored_; }

 private:
  void make_room();
  /// Checks a job's object and adds it to the built ones; returns what is wrong with it.
  std::vector<std::string> accept(std::size_t job, std::string bytes);
  std::vector<std::string> finish(std::size_t job, const Compiled& compiled);
  void store(std::size_t job, const Compiled& compiled);

  const BuildPlan& plan_;
  PlannedJobs& planned_;
  Disk& disk_;
  CompileCache& cache_;
  Progress& progress_;
  BuiltObjects built_;
  std::vector<ObjectRow> rows_;
  bool can_store_ = true;
  bool has_stored_ = false;
};

}  // namespace kernelgen::tool
