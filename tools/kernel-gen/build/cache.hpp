#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.hpp"
#include "base/disk.hpp"

namespace kernelgen::tool {

/// Code objects by the hash of everything that went into them; only those that passed the check against their
/// manifest belong here, because none is compiled again as long as it is here. Several builds may share one folder: entries
/// are written in one step and never changed. An entry holds its own hash; a damaged one counts as missing.
class ObjectCache {
 public:
  /// An empty directory switches the cache off.
  ObjectCache(Disk& disk, std::filesystem::path directory) : disk_(disk), directory_(std::move(directory)) {}

  /// The object stored under the key. Nothing when there is none, it is damaged or it cannot be read.
  std::optional<std::string> find(const Hash128& key) const;
  /// Throws DiskError when the folder cannot be written.
  void store(const Hash128& key, std::string_view object);
  /// Where the key's object lies, whether or not it is there.
  std::filesystem::path path(const Hash128& key) const;

 private:
  Disk& disk_;
  std::filesystem::path directory_;
};

/// Removes temporaries that killed processes left below the cache folder. What cannot be read or removed stays.
void sweep_cache(Disk& disk, const std::filesystem::path& directory);

}  // namespace kernelgen::tool
