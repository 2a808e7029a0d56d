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

/// What is known of a job before it is compiled.
struct Remembered {
  std::optional<std::string> object;  ///< what the compile would make
  ReadSet reads;                      ///< where there is an object: what its compile read
  double seconds = 0;                 ///< how long the job's last compile took; 0: not known
  std::string why;                    ///< if there is no entry: what changed, or that nothing is known
};

/// Objects by the files that their compiles read. A lookup has two steps: the inputs of a compile (compiler, flags, device
/// bitcode, the tokens of its source) give lists of files that such compiles read; the first list whose files are
/// unchanged gives the object. Only objects that passed the check against their manifest are stored, because none is
/// compiled again as long as it is here.
class CompileCache {
 public:
  CompileCache(Cache& cache, ReadFiles& files) : cache_(cache), files_(files) {}

  Remembered find(const CompileJob& job);
  /// What the job's compile read that began at `start` (Disk::now) and has written `depfile`; nothing where that is not
  /// known, or changed meanwhile.
  std::optional<ReadSet> reads_of(const CompileJob& job, std::string_view depfile, std::int64_t start);
  /// Throws DiskError when the cache cannot be written.
  void store(const CompileJob& job, std::string_view object, const ReadSet& reads, double seconds);

 private:
  std::string why(const CompileJob& job, const std::string& last) const;

  Cache& cache_;
  ReadFiles& files_;
};

/// Seconds that a module's last compile for a target took, here or wherever the cache's folder comes from; nothing where
/// none is known. `manifest` is the module's, without folders.
std::optional<double> last_seconds(const Cache& cache, std::string_view target, std::string_view module,
                                   std::string_view manifest);

}  // namespace kernelgen::tool
