#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/disk.hpp"
#include "base/environment.hpp"

namespace kernelgen::tool {

struct CacheUse {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
};

/// What stays: the entries used last, as far as they go into `bytes`, of those used in the last `nanoseconds`.
struct CacheLimit {
  std::optional<std::uint64_t> bytes;
  std::optional<std::int64_t> nanoseconds;
};

/// What the cache holds. Nothing where there is no such folder. Throws DiskError.
CacheUse measure_cache(const Disk& disk, const std::filesystem::path& folder);
/// Removes entries, those first that were used longest ago, and temporaries that killed processes left. Gives what was
/// removed. What cannot be removed stays. Throws BadInput where the folder holds something and has no mark: it may be
/// anybody's.
CacheUse prune_cache(Disk& disk, const std::filesystem::path& folder, const CacheLimit& limit);

/// "500M", "5G" (of 1024): nothing where it is no size.
std::optional<std::uint64_t> read_size(const std::string& text);
/// "30d", "12h": nothing where it is no time.
std::optional<std::int64_t> read_age(const std::string& text);

/// KERNELGEN_CACHE_SIZE, else 5 GiB. Throws BadInput.
std::uint64_t cache_size_limit(const Environment& environment);

}  // namespace kernelgen::tool
