#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.hpp"
#include "base/disk.hpp"

namespace kernelgen::tool {

/// Entries by the hash of everything that went into them. Several builds may share one folder: entries are written in
/// one step. An entry holds its own hash; a damaged one counts as missing, as does one that others may have written. Each look-up notes that the entry was used.
class Cache {
 public:
  /// The subfolder of the cache for entries of a kind.
  enum class Kind {
    object,  ///< code objects, by all that went into them
    blob,    ///< code objects compressed, by what they and their references are
    reads,   ///< the files that compiles read, by their CompileRequest
    job,     ///< a job's last compile, by the job's name
    output,  ///< packages that were written, by all that they were made from
    program  ///< the answers of programs, by their path
  };

  /// An empty directory switches the cache off.
  Cache(Disk& disk, std::filesystem::path directory) : disk_(disk), directory_(std::move(directory)) {}

  bool is_on() const { return !directory_.empty(); }
  /// The bytes stored under the key; nullopt if there are none, or they are damaged or cannot be read.
  std::optional<std::string> find(Kind kind, const Hash128& key) const;
  /// Throws DiskError when the folder cannot be written.
  void store(Kind kind, const Hash128& key, std::string_view bytes);
  /// The entry's path, whether or not it exists.
  std::filesystem::path path(Kind kind, const Hash128& key) const;

 private:
  Disk& disk_;
  std::filesystem::path directory_;
};

/// Makes a folder for entries below the cache's, which gets the mark where it is new or empty; others cannot write to it.
/// Throws DiskError, also where others can write to the cache's folder or one below it is not this user's.
void make_cache_folder(Disk& disk, const std::filesystem::path& cache, const std::filesystem::path& folder);
/// Whether only this user and root can have written an entry.
bool is_trusted_entry(const Disk& disk, const std::filesystem::path& cache,
                      const std::filesystem::path& file);
/// Whether the folder is one that make_cache_folder() made. Only from those is anything removed.
bool is_marked_cache(const Disk& disk, const std::filesystem::path& cache);

/// The files below the cache's folder that are named as entries and their temporaries are. No link below it is followed;
/// what cannot be read is left out.
std::vector<std::filesystem::path> cache_files(const Disk& disk, const std::filesystem::path& cache);

/// Removes those of a cache's files that are temporaries of killed processes. What cannot be removed stays.
void sweep_cache(Disk& disk, const std::vector<std::filesystem::path>& files);

}  // namespace kernelgen::tool
