#include "build/cache.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t hash_digits = 32;

/// An entry is touched where this has gone by since it was: noting each use would be as many writes as reads.
constexpr std::int64_t touch_after = std::int64_t{3600} * 1'000'000'000;

const char* folder_of(Cache::Kind kind) {
  switch (kind) {
    case Cache::Kind::object:
      return "objects";
    case Cache::Kind::blob:
      return "blobs";
    case Cache::Kind::reads:
      return "reads";
    case Cache::Kind::job:
      return "jobs";
    case Cache::Kind::output:
      return "outputs";
    case Cache::Kind::program:
      return "programs";
  }
  return "";
}

}  // namespace

fs::path Cache::path(Kind kind, const Hash128& key) const {
  const std::string name = key.hex();
  // Two levels, so that no folder gets thousands of files.
  return directory_ / folder_of(kind) / name.substr(0, 2) / name.substr(2);
}

std::optional<std::string> Cache::find(Kind kind, const Hash128& key) const {
  if (!is_on()) return std::nullopt;
  const fs::path file = path(kind, key);
  std::string entry;
  try {
    if (!disk_.exists(file)) return std::nullopt;
    entry = disk_.read(file);
    if (disk_.now() - disk_.stamp(file).used > touch_after) disk_.touch(file);
  } catch (const DiskError&) {
    // Gone since, or not ours to read: as good as missing, it is made again.
    return std::nullopt;
  }
  if (entry.size() < hash_digits) return std::nullopt;
  const std::string recorded = entry.substr(entry.size() - hash_digits);
  entry.resize(entry.size() - hash_digits);
  if (hash128(entry).hex() != recorded) return std::nullopt;
  return entry;
}

void Cache::store(Kind kind, const Hash128& key, std::string_view bytes) {
  if (!is_on()) return;
  const fs::path file = path(kind, key);
  disk_.make_dirs(file.parent_path());
  disk_.write_atomically(file, std::string(bytes) + hash128(bytes).hex());
}

std::vector<fs::path> cache_files(const Disk& disk, const fs::path& directory) {
  std::vector<fs::path> files;
  // objects/ab/…, sources/…/…, bitcode/…/…; modules/ab/… are those of programs that compile while they run.
  for (const char* kind :
       {"objects", "blobs", "reads", "jobs", "outputs", "programs", "sources", "bitcode", "modules"}) {
    if (directory.empty() || !disk.is_directory(directory / kind)) continue;
    try {
      for (const fs::path& folder : disk.list(directory / kind))
        for (fs::path& file : disk.list(folder)) files.push_back(std::move(file));
    } catch (const DiskError&) {
      // A cache that cannot be read is none, which is no reason to fail.
    }
  }
  return files;
}

void sweep_cache(Disk& disk, const std::vector<fs::path>& files) {
  for (const fs::path& file : files) {
    if (file.extension() != ".tmp") continue;
    try {
      if (const auto claim = disk.claim(file)) disk.remove_tree(file);
    } catch (const DiskError&) {
      // Not ours to remove.
    }
  }
}

}  // namespace kernelgen::tool
