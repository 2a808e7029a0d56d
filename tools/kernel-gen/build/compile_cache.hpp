#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "build/cache.hpp"
#include "build/compile.hpp"
#include "build/read_files.hpp"

namespace kernelgen::tool {

/// What the cache knows of a job.
struct Remembered {
  std::optional<std::string> object;  ///< the object that the compile would make
  ReadSet reads;                      ///< with an object: the files that its compile read
  double seconds = 0;                 ///< how long the job's last compile took; 0: not known
  std::string why;                    ///< without an object: what changed, or that nothing is known
};

/// Objects by the files that their compiles read. A lookup has two steps: the request of a compile (compiler, flags, device
/// bitcode, the tokens of its source) gives lists of files that such compiles read; the first list whose files are unchanged
/// gives the object. Only objects that passed the check against their manifest are stored, because none is compiled again as
/// long as it is here.
class CompileCache {
 public:
  CompileCache(Cache& cache, ReadFiles& files) : cache_(cache), files_(files) {}

  Remembered find(const CompileJob& job);
  /// The files that the job's compile read, which began at `start` (Disk::now) and wrote `depfile`; nullopt if they are not known
  /// or have changed since.
  std::optional<ReadSet> reads_of(const CompileJob& job, std::string_view depfile, std::int64_t start);
  /// Throws DiskError when the cache cannot be written.
  void store(const CompileJob& job, std::string_view object, const ReadSet& reads, double seconds);

 private:
  std::string why(const CompileJob& job, const std::string& last) const;

  Cache& cache_;
  ReadFiles& files_;
};

/// Seconds that a module's last compile for a target took, on any machine that wrote to the cache; nullopt if none is known.
/// `manifest` is the module's, without folders.
std::optional<double> last_seconds(const Cache& cache, std::string_view target, std::string_view module,
                                   std::string_view manifest);

}  // namespace kernelgen::tool
