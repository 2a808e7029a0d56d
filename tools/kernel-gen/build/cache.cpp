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

}  // namespace kernelgen::tool
