#include "build/cache.hpp"

#include <algorithm>

#include "common/cache_folder.hpp"

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

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

/// The name of the entry that a file is a temporary of ("NAME.7-0.tmp"), else its own.
std::string_view entry_name(std::string_view file) {
  if (!file.ends_with(".tmp")) return file;
  file.remove_suffix(4);
  return file.substr(0, file.rfind('.'));
}

/// What the files of a folder of the cache are called: FOLDER/GROUP/NAME, where a group's name is a number of digits.
struct Naming {
  std::string_view folder;
  std::size_t group_digits;
  bool (*is_entry)(std::string_view name);
};

bool is_rest_of_hash(std::string_view name) { return is_hex(name, hash_digits - 2); }

constexpr Naming namings[] = {
    {"objects", 2, is_rest_of_hash},
    {"blobs", 2, is_rest_of_hash},
    {"reads", 2, is_rest_of_hash},
    {"jobs", 2, is_rest_of_hash},
    {"outputs", 2, is_rest_of_hash},
    {"programs", 2, is_rest_of_hash},
    // Those of programs that compile while they run.
    {"modules", 2, is_rest_of_hash},
    {"sources", 16, [](std::string_view name) { return name.ends_with(".hip") || name.ends_with(".cpp"); }},
    {"bitcode", hash_digits,
     [](std::string_view name) { return name.starts_with("oclc_isa_version_") && name.ends_with(".bc"); }}};

/// A folder's paths; none where it is not a folder or cannot be read, which is no reason to fail.
std::vector<fs::path> list_folder(const Disk& disk, const fs::path& folder) {
  try {
    if (disk.type(folder) == FileType::folder) return disk.list(folder);
  } catch (const DiskError&) {
  }
  return {};
}

/// Whether nothing is there but marks that other builds are writing, or died writing.
bool is_new(const Disk& disk, const fs::path& cache) {
  if (!disk.is_directory(cache)) return !disk.exists(cache);
  return std::ranges::all_of(disk.list(cache), [](const fs::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".tmp") && entry_name(name) == cache_tag_file;
  });
}

}  // namespace

void make_cache_folder(Disk& disk, const fs::path& cache, const fs::path& folder) {
  if (is_new(disk, cache)) {
    if (!disk.make_dirs(cache).empty()) disk.keep_others_out(cache);
    disk.write_atomically(cache / cache_tag_file, cache_tag);
  }
  disk.make_dirs(folder);
  for (fs::path path = folder; path != cache; path = path.parent_path()) disk.keep_others_out(path);
  for (fs::path path = folder;; path = path.parent_path()) {
    if (!disk.is_trusted(path))
      throw DiskError("keep anything in", path,
                      "others may write to it; 'chmod go-w' makes it this user's alone");
    if (path == cache) return;
  }
}

bool is_trusted_entry(const Disk& disk, const fs::path& cache, const fs::path& file) {
  for (fs::path path = file; path != cache; path = path.parent_path())
    if (!disk.is_trusted(path)) return false;
  return disk.is_trusted(cache);
}

bool is_marked_cache(const Disk& disk, const fs::path& cache) {
  try {
    const fs::path tag = cache / cache_tag_file;
    return disk.type(tag) == FileType::file && disk.read(tag) == cache_tag;
  } catch (const DiskError&) {
    return false;
  }
}

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
    if (!disk_.exists(file) || !is_trusted_entry(disk_, directory_, file)) return std::nullopt;
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
  make_cache_folder(disk_, directory_, file.parent_path());
  disk_.write_atomically(file, std::string(bytes) + hash128(bytes).hex());
}

std::vector<fs::path> cache_files(const Disk& disk, const fs::path& cache) {
  std::vector<fs::path> files;
  if (cache.empty()) return files;
  for (const Naming& naming : namings)
    for (const fs::path& group : list_folder(disk, cache / naming.folder)) {
      if (!is_hex(group.filename().string(), naming.group_digits)) continue;
      for (fs::path& file : list_folder(disk, group))
        if (naming.is_entry(entry_name(file.filename().string())) && disk.type(file) == FileType::file)
          files.push_back(std::move(file));
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
