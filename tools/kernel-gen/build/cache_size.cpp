#include "build/cache_size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/fault.hpp"
#include "build/cache.hpp"
#include "common/cache_folder.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t usual_limit = std::uint64_t{5} << 30;

struct Entry {
  fs::path file;
  FileStamp stamp;
};

std::vector<Entry> entries(const Disk& disk, const std::vector<fs::path>& files) {
  std::vector<Entry> all;
  for (const fs::path& file : files) {
    try {
      all.push_back({file, disk.stamp(file)});
    } catch (const DiskError&) {
      // Another build has removed it.
    }
  }
  return all;
}

/// A whole number, then one of the units.
template <class Number>
std::optional<Number> read_amount(const std::string& text,
                                  std::initializer_list<std::pair<char, Number>> units) {
  Number amount = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount);
  if (error != std::errc() || amount < 0 || end + 1 < text.data() + text.size()) return std::nullopt;
  if (end == text.data() + text.size()) return amount == 0 ? std::optional<Number>(0) : std::nullopt;
  for (const auto& [unit, factor] : units) {
    Number product;
    if (unit == *end && !__builtin_mul_overflow(amount, factor, &product)) return product;
  }
  return std::nullopt;
}

}  // namespace

CacheUse measure_cache(const Disk& disk, const fs::path& folder) {
  CacheUse use;
  for (const Entry& entry : entries(disk, cache_files(disk, folder))) {
    ++use.files;
    use.bytes += entry.stamp.size;
  }
  return use;
}

CacheUse prune_cache(Disk& disk, const fs::path& folder, const CacheLimit& limit) {
  if (!is_marked_cache(disk, folder)) {
    if (!disk.is_directory(folder) || disk.list(folder).empty()) return {};
    throw BadInput(Fault{
        "",
        "",
        fmt::format("cache {}: it has no {} of kernel-gen, so nothing in it is removed; where all of it "
                    "is a cache, remove the folder, and the next build makes one with that mark; else "
                    "name a folder that nothing else uses by KERNELGEN_CACHE",
                    folder.string(), cache_tag_file),
        {}});
  }
  const std::vector<fs::path> files = cache_files(disk, folder);
  sweep_cache(disk, files);
  std::vector<Entry> all = entries(disk, files);
  std::ranges::sort(all, std::greater(),
                    [](const Entry& entry) { return std::pair(entry.stamp.used, entry.file); });
  const std::int64_t now = disk.now();
  CacheUse removed;
  std::uint64_t kept = 0;
  for (const Entry& entry : all) {
    const bool is_old = limit.nanoseconds && now - entry.stamp.used > *limit.nanoseconds;
    kept += entry.stamp.size;
    if (!is_old && (!limit.bytes || kept <= *limit.bytes)) continue;
    kept -= entry.stamp.size;
    try {
      disk.remove_tree(entry.file);
      ++removed.files;
      removed.bytes += entry.stamp.size;
    } catch (const DiskError&) {
      // Not ours to remove.
    }
  }
  return removed;
}

std::optional<std::uint64_t> read_size(const std::string& text) {
  return read_amount<std::uint64_t>(
      text, {{'K', 1u << 10}, {'M', 1u << 20}, {'G', 1u << 30}, {'T', std::uint64_t{1} << 40}});
}

std::optional<std::int64_t> read_age(const std::string& text) {
  constexpr std::int64_t second = 1'000'000'000;
  return read_amount<std::int64_t>(
      text, {{'s', second}, {'m', 60 * second}, {'h', 3600 * second}, {'d', 86400 * second}});
}

std::uint64_t cache_size_limit(const Environment& environment) {
  const std::string text = environment("KERNELGEN_CACHE_SIZE");
  if (text.empty()) return usual_limit;
  if (const auto size = read_size(text)) return *size;
  throw BadInput(
      Fault{"", "", fmt::format("KERNELGEN_CACHE_SIZE={}: expected a size like 500M or 5G", text), {}});
}

}  // namespace kernelgen::tool
