#pragma once
#include <cstdio>
#include <string>

#include "base/disk.hpp"
#include "base/environment.hpp"

namespace kernelgen::tool {

struct CacheOptions {
  std::string action = "size";  ///< "size", "prune" or "clear"
  std::string size;             ///< prune: what may stay, "500M"; empty: KERNELGEN_CACHE_SIZE
  std::string age;              ///< prune: what was not used for longer goes, "30d"; empty: whatever its age
  bool json = false;
};

/// Says what the cache of objects holds, or removes of it. Throws BadInput, DiskError.
int run_cache(const CacheOptions& options, Disk& disk, const Environment& environment, std::FILE* out);

}  // namespace kernelgen::tool
