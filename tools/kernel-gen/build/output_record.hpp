#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.hpp"
#include "build/build.hpp"
#include "build/cache.hpp"
#include "build/read_files.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Hashes of files, by name.
using FileHashes = std::map<std::string, std::string>;

/// Throws DiskError.
FileHashes hash_files(const Disk& disk, const std::filesystem::path& folder,
                      std::span<const std::string_view> names);

/// What a finished build remembers, so that one with nothing to do finds out without looking at objects: by all that
/// goes into a package but the kernels' files, the states of these, and what the files that were written hash to.
class OutputRecord {
 public:
  /// `tool` tells this program from one that would write other bytes; `inputs` are the manifests and what is taken of
  /// them.
  OutputRecord(Cache& cache, std::string_view tool, const PlannedJobs& planned,
               std::span<const std::string> inputs);

  /// What store() was given, where the same build would write the very files that `folder` holds.
  std::optional<Json> find(const Disk& disk, ReadFiles& files, const std::filesystem::path& folder) const;
  /// Nothing is kept where the next build has to look closer. Throws DiskError.
  void store(const BuiltObjects& built, const FileHashes& outputs, const Json& summary);

  /// Names of all that was read, of what find() gave last or store() was given.
  const std::vector<std::string>& reads() const { return reads_; }

 private:
  Cache& cache_;
  Hash128 key_;
  mutable std::vector<std::string> reads_;
};

}  // namespace kernelgen::tool
