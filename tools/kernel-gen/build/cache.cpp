#include "build/cache.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t hash_digits = 32;

}  // namespace

fs::path ObjectCache::path(const Hash128& key) const {
  const std::string name = key.hex();
  // Two levels, so that no folder gets thousands of files.
  return directory_ / "objects" / name.substr(0, 2) / name.substr(2);
}

std::optional<std::string> ObjectCache::find(const Hash128& key) const {
  if (directory_.empty() || !disk_.exists(path(key))) return std::nullopt;
  std::string entry;
  try {
    entry = disk_.read(path(key));
  } catch (const DiskError&) {
    // Gone since, or not ours to read: as good as missing, it is compiled again.
    return std::nullopt;
  }
  if (entry.size() < hash_digits) return std::nullopt;
  const std::string recorded = entry.substr(entry.size() - hash_digits);
  entry.resize(entry.size() - hash_digits);
  if (hash128(entry).hex() != recorded) return std::nullopt;
  return entry;
}

void ObjectCache::store(const Hash128& key, std::string_view object) {
  if (directory_.empty()) return;
  disk_.make_dirs(path(key).parent_path());
  disk_.write_atomically(path(key), std::string(object) + hash128(object).hex());
}

void sweep_cache(Disk& disk, const fs::path& directory) {
  // objects/ab/…, sources/…/…, bitcode/…/…
  for (const char* kind : {"objects", "sources", "bitcode"}) {
    if (directory.empty() || !disk.is_directory(directory / kind)) continue;
    try {
      for (const fs::path& folder : disk.list(directory / kind))
        for (const fs::path& file : disk.list(folder))
          if (file.extension() == ".tmp")
            if (const auto claim = disk.claim(file)) disk.remove_tree(file);
    } catch (const DiskError&) {
      // A cache that cannot be read or written is none, which is no reason to fail.
    }
  }
}

}  // namespace kernelgen::tool
